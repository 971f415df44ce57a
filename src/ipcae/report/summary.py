"""The summary of a report: a headline and the main numbers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ipcae.report.comparison import Comparison
from ipcae.report.findings import Findings, Measured
from ipcae.tasks import METRICS
from ipcae.text import count, fixed, listed, number

_MOST_GROUPS = 12


@dataclass(frozen=True)
class Tile:
    """One of the main numbers, and its label."""

    value: str
    name: str


def headline(findings: Findings) -> str:
    """Return the first sentences of the report."""
    selector, features = findings.selector, findings.features
    used = getattr(selector, "method_", selector.method)
    method = used if isinstance(used, str) else type(used).__name__
    n_runs = len(selector.selections_)
    how = [f"best of {n_runs} runs"] if n_runs > 1 else []
    if findings.stability is not None and _is_consensus(findings):
        n_subsamples = findings.stability.n_subsamples
        how.append(f"the same as the consensus of {n_subsamples} subsamples of the rows")
    runs = f" ({'; '.join(how)})" if how else ""
    selected = (
        f"{features.n_selected:,} of {len(features):,} features were selected by the method "
        f"{method} {selector.task_.purpose}{runs}."
    )
    groups = selector.constraints_.selected_groups(selector.selection_.features)
    if groups:
        selected += f" Groups: {listed(groups, _MOST_GROUPS)}."
    measured = findings.measured
    if measured is None:
        return f"{selected} No rows were given to evaluate the selection on."
    rows = count(len(measured.sample), f"{measured.rows_name} row")
    finding = selector.task_.finding(measured.evaluation.score)
    return f"{selected} On {rows}, a model trained on these features {finding}."


def _is_consensus(findings: Findings) -> bool:
    stability = findings.stability
    return stability is not None and set(stability.consensus.tolist()) == set(
        findings.selector.get_support(indices=True).tolist()
    )


def tiles(findings: Findings) -> list[Tile]:
    """Return the main numbers: the result with its uncertainty, the verdict and comparisons."""
    features, measured, chance = findings.features, findings.measured, findings.chance
    shown = []
    if measured is not None:
        shown.append(_result(measured))
    if chance is not None:
        found = chance.headline.partition(", but")[0]
        found = found[0].lower() + found[1:]
        where = f"in {chance.n_folds} folds" if chance.n_folds > 1 else "on held-out rows"
        shown.append(Tile(chance.p_text, f"{found}, {where}"))
    if findings.stability is not None:
        value, low, high = (fixed(end, 2) for end in findings.stability.index)
        shown.append(Tile(value, f"stability over rows ({low} to {high} with other subsamples)"))
    if measured is not None:
        shown += _references(measured)
    selected = f"{features.n_selected:,} of {len(features):,}"
    return [*shown, Tile(selected, "features selected"), *_cost(findings.selector)]


def _cost(selector: Any) -> list[Tile]:
    constraints = selector.constraints_
    if not constraints.costs:
        return []
    paid = number(constraints.cost(selector.selection_.features), 6)
    if constraints.budget is None:
        return [Tile(paid, "cost")]
    return [Tile(f"{paid} of {number(constraints.budget, 6)}", "cost, of the budget")]


def _result(measured: Measured) -> Tile:
    evaluation, task = measured.evaluation, measured.evaluation.task
    between = ""
    if evaluation.interval is not None:
        between = f" (95\u00a0%: {METRICS[task.score].write_interval(evaluation.interval)})"
    name = f"{task.score_label}, {measured.rows_name} rows{between}"
    return Tile(task.write_score(evaluation.score), name)


def _references(measured: Measured) -> list[Tile]:
    evaluation, comparison = measured.evaluation, measured.comparison
    task = evaluation.task
    label, write = task.score_label, task.write_score
    baseline = f"{label}, baseline: {task.baseline_name}"
    shown = [Tile(write(evaluation.baseline_score), baseline)]
    if isinstance(comparison, Comparison):
        fewer = comparison.n_held_out < len(measured.sample)
        rows = f", {count(comparison.n_held_out, 'row')}" if fewer else ""
        alike = write(comparison.scores[comparison.n_selected])
        name = f"{label}, all features{rows} (the selected ones, trained in the same way: {alike})"
        shown.append(Tile(write(comparison.all_features), name))
    return shown
