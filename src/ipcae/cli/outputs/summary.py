"""What ``select`` prints before and after training."""

from __future__ import annotations

from itertools import islice

from rich.table import Table

from ipcae.cli.counts import counts_table, reason_for
from ipcae.cli.experiment import Experiment
from ipcae.cli.experiment_result import Result
from ipcae.cli.inputs.streamed_table import SourceFrame
from ipcae.cli.messages import Messages
from ipcae.cli.options.k_option import AUTO
from ipcae.cli.tables import add_row, new_table, plain_spaces
from ipcae.feature_table import feature_names
from ipcae.selectors import Recommendation, method_named, recommended
from ipcae.selectors.recommendation import FEW_COLUMNS, depends_on_correlations
from ipcae.tasks import METRICS
from ipcae.text import count, decimals_for, duration, fixed, listed, percent, printable

MAX_FEATURES = 20
"""The largest number of features to print."""
MAX_CLUSTERS, MAX_IN_CLUSTER = 5, 4


def describe_experiment(experiment: Experiment) -> str:
    """Describe the table, the task and the method."""
    table, options, task = experiment.table, experiment.options, experiment.table.task
    hint = f" ({task.hint})" if task.hint else ""
    runs = count(experiment.n_runs, "run")
    training = (
        "" if _computes(experiment) else f" in {runs} of at most {experiment.n_epochs} epochs"
    )
    place, reason = printable(table.place), printable(task.reason)
    number = _number_of(experiment)
    if experiment.counts:
        number = f"{listed([str(count) for count in experiment.counts], most=12)} columns"
        if options.counts == AUTO:
            number = f"{min(experiment.counts)} to {max(experiment.counts)} columns"
        rows, sample = len(experiment.searched), ""
        if rows < len(experiment.train):
            sample = f" of a sample of {rows:,} rows"
        number += f" in {options.cv or 5} folds{sample}, and the chosen number"
    if options.consensus:
        number = f"{number} as the consensus of {options.stability} subsamples of the rows,"
    return (
        f"{place}: {len(table.X):,} rows, {count(table.X.shape[1], 'column')} to select from.\n"
        f"Task: {task.name}, because {reason}{hint}.\n"
        f"{_describe_method(experiment)}"
        f"Selecting {number}{training}; "
        f"{len(experiment.test):,} rows are held out."
    )


def _describe_method(experiment: Experiment) -> str:
    """Return a line with the method, and why it was chosen."""
    if experiment.options.method is not None:
        return f"Method: {experiment.options.method}.\n"
    if not _method_is_known(experiment):
        return ""
    advice = _advice(experiment)
    return f"Method: {advice.method}, because {advice.reason}.\n"


def _method_is_known(experiment: Experiment) -> bool:
    """Return whether the method is known before the fit, which finds out whether rows depend."""
    table, n_rows = experiment.table, len(experiment.train)
    if experiment.options.method is not None or isinstance(table.X, SourceFrame):
        return True
    if table.groups is not None:
        return False
    if table.X.shape[1] <= FEW_COLUMNS:
        return True
    return not depends_on_correlations(table.task.task, n_rows)


def _advice(experiment: Experiment) -> Recommendation:
    return recommended(
        experiment.table.task.task,
        len(experiment.train),
        experiment.table.X.shape[1],
        streamed=isinstance(experiment.table.X, SourceFrame),
    )


def _computes(experiment: Experiment) -> bool:
    """Return whether the method is followed by a decoder that is computed, not trained."""
    method = experiment.options.method or _advice(experiment).method
    return method != "auto" and method_named(method).auto_decoder is not None


def _number_of(experiment: Experiment) -> str:
    """Describe how many columns or groups are to be selected."""
    options, restrictions = experiment.options, experiment.restrictions
    number = count(experiment.n_selected, "column")
    if "feature_groups" in restrictions:
        number = f"{experiment.n_selected} groups or single columns"
    if options.budget is not None:
        number = f"at most {number}, within a budget of {options.budget:g},"
    return number


def print_result(result: Result, messages: Messages) -> None:
    """Print the verdict, the selected features and the metrics on the held-out rows."""
    if result.cross_validation is not None:
        messages.say()
        messages.show(counts_table(result.cross_validation))
        if reason := reason_for(result.cross_validation):
            messages.say(reason)
    messages.say(f"\n{_describe_selection(result)}")
    if result.chance is not None:
        chance = result.chance
        messages.verdict(chance.sentence, good=chance.better and not chance.dependent)
    if result.stability is not None:
        messages.say(plain_spaces(result.stability.sentence))
    if result.discoveries is not None:
        messages.say(_describe_discoveries(result))
    messages.say()
    messages.show(_feature_table(result))
    hidden = result.features.n_selected - MAX_FEATURES
    if hidden > 0:
        messages.say(f"  … {hidden} more in ranking.csv")
    for line in (*_legend(result), *_substitutes(result)):
        messages.say(line)
    messages.say()
    messages.show(_metric_table(result))
    baseline = result.evaluation.task.baseline_name
    messages.say(f"  * always predicts {baseline}, from the training rows")
    for name, score in result.batch_scores.items():
        messages.say(f"  batch {printable(name)}: {plain_spaces(score)}")
    for sentence in result.evaluation.cautions:
        messages.say(sentence)


def _describe_discoveries(result: Result) -> str:
    found, selected = result.discoveries, result.selector.get_support()
    if found is None or not found.features:
        return "" if found is None else plain_spaces(found.sentence)
    n_both = int((selected & found.support).sum())
    return (
        f"{plain_spaces(found.sentence)} Of the {selected.sum()} selected columns, {n_both} pass."
    )


def _legend(result: Result) -> list[str]:
    """Say what the columns of the table of features mean."""
    features = result.features
    measure = "the value by which the method ranks the columns, relative to the best"
    if features.measure == "probability":
        measure = "how certain the best run is about the column"
    seeds = "  other seeds: how many of the other runs also selected it"
    return [
        "  importance: how much the loss on held-out rows rises if the column is shuffled",
        f"  {features.measure}: {measure}",
        *([seeds] if features.n_others else []),
    ]


def _substitutes(result: Result) -> list[str]:
    """Say which columns divide their frequency between them."""
    if result.stability is None or not result.stability.clusters:
        return []
    names = feature_names(result.selector)
    groups = [
        " = ".join(names[i] for i in cluster[:MAX_IN_CLUSTER])
        + (" = …" if len(cluster) > MAX_IN_CLUSTER else "")
        for cluster in result.stability.clusters
    ]
    return [f"  can replace each other: {printable(listed(groups, MAX_CLUSTERS))}"]


def _describe_selection(result: Result) -> str:
    selector, features = result.selector, result.features
    state = "Interrupted; the best state so far selects" if result.interrupted else "Selected"
    constraints = selector.constraints_
    paid = constraints.cost(selector.selection_.features)
    budget = "" if constraints.budget is None else f" of a budget of {constraints.budget:g}"
    cost = f" They cost {paid:g}{budget}." if constraints.costs else ""
    groups = constraints.selected_groups(selector.selection_.features)
    together = f" Groups: {printable(listed(groups, MAX_FEATURES))}." if groups else ""
    method = f" Method: {selector.method_}, because {selector.method_reason_}."
    if _method_is_known(result.experiment):
        method = ""
    return (
        f"{state} {features.n_selected:,} of {len(features):,} columns in "
        f"{duration(selector.fit_seconds_)}.{together}{cost}"
        f"{method}"
    )


def _feature_table(result: Result) -> Table:
    """Return the selected features in order of rank, as in the files and the report."""
    features = result.features
    shown = list(islice(features, min(features.n_selected, MAX_FEATURES)))
    decimals = decimals_for(feature.importance for feature in shown)
    seeds = ("other seeds",) if features.n_others else ()
    rows = () if result.stability is None else ("subsamples",)
    passed = () if result.discoveries is None else (f"FDR {result.discoveries.fdr:g}",)
    header = ("column", "importance", features.measure, *seeds, *rows, *passed)
    table = new_table(*header, left=[0], wrap=[0])
    for feature in shown:
        importance, error = feature.importance, feature.importance_error
        add_row(
            table,
            feature.name,
            f"{fixed(importance, decimals)} ± {fixed(error, decimals)}",
            f"{feature.probability:.2f}",
            *(
                f"{feature.other_seeds * features.n_others:.0f} of {features.n_others}"
                for _ in seeds
            ),
            *_about_subsamples(result, feature.index),
        )
    return table


def _about_subsamples(result: Result, index: int) -> list[str]:
    """Return the cells of a column about ``--stability`` and ``--fdr``."""
    cells = []
    if result.stability is not None:
        frequency = float(result.stability.frequency[index])
        cells.append(plain_spaces(percent(frequency, column=True)))
    if result.discoveries is not None:
        cells.append("passes" if result.discoveries.support[index] else "")
    return cells


def _metric_table(result: Result) -> Table:
    evaluation = result.evaluation
    rows = f"{len(result.experiment.test):,} held-out rows"
    table = new_table(rows, "selected", "95 % interval", "baseline*", left=[0])
    for name, value in evaluation.metrics.items():
        metric, interval = METRICS[name], evaluation.intervals.get(name)
        between = metric.write_interval(interval) if interval else ""
        cells = (metric.write(value), between, metric.write(evaluation.baseline[name]))
        add_row(table, metric.label, *map(plain_spaces, cells))
    return table
