"""What was asked and found, in one sentence and a few numbers."""

from __future__ import annotations

from ipcae.report.comparison import Comparison
from ipcae.report.findings import Findings
from ipcae.report.markup import count, percent, seconds
from ipcae.report.task import CLASSES, COLUMNS, LABELS, task_of

_ASKED = {
    "classification": "to tell {n} classes apart",
    "labels": "to predict {n} labels",
    "regression": "to predict {n}",
    "reconstruction": "to restore all {n} of them",
}


def headline(findings: Findings) -> str:
    """Return the sentence."""
    selector, task = findings.selector, task_of(findings.selector)
    n_outputs = selector.model_.n_outputs
    if task.name == "regression":
        n: str = "a number" if n_outputs == 1 else f"{n_outputs} numbers"
    else:
        n = f"{n_outputs:,}"
    asked = (
        f"Asked for {findings.n_selected:,} of {len(findings.features):,} features "
        f"{_ASKED[task.name].format(n=n)}, {selector_words(findings)} found a set"
    )
    evidence = findings.evidence
    if evidence is None or findings.sample is None:
        return f"{asked}; no rows were given to measure it on."
    rows = count(len(findings.sample), "row")
    if task in (CLASSES, LABELS):
        what = "the classes" if task is CLASSES else "the labels"
        found = f"that names {percent(evidence.score)} of {what} right in {rows}"
        others = [f"always {task.guess}: {percent(evidence.guess)}"]
    else:
        what = "all columns" if task is COLUMNS else "the target"
        found = f"that explains {_variance(evidence.score)} of the variance of {what} in {rows}"
        others = []
    comparison = findings.comparison
    # Only what was measured on the same rows may stand in the same sentence.
    if isinstance(comparison, Comparison) and comparison.n_held_out == len(findings.sample):
        n_all = max(comparison.scores)
        others.insert(0, f"all {n_all:,} features: {percent(comparison.scores[n_all])}")
    beside = f" ({'; '.join(others)})" if others else ""
    return f"{asked} {found}{beside}."


def selector_words(findings: Findings) -> str:
    """Return the method and the runs, as in "ip-cae in 3 runs"."""
    method = findings.selector.method
    name = method if isinstance(method, str) else type(method).__name__
    runs = len(findings.selector.selections_)
    return f"{name} in {count(runs, 'run')}"


def _variance(score: float) -> str:
    return percent(score) if score > 0 else "none"


def tiles(findings: Findings) -> list[tuple[str, str]]:
    """Return the numbers to see first, each with its meaning."""
    selector, evidence = findings.selector, findings.evidence
    chosen = [feature for feature in findings.features if feature.selected]
    shown = [(f"{findings.n_selected:,} of {len(findings.features):,}", "features selected")]
    if evidence is not None:
        which = "given" if findings.training is None else "held-out"
        label = f"{evidence.task.score}, {which} rows"
        shown.append((evidence.task.worth(evidence.score), label))
    if isinstance(findings.comparison, Comparison):
        comparison, task = findings.comparison, task_of(selector)
        everything = comparison.scores[max(comparison.scores)]
        shown.append((task.worth(everything), "with all features, trained to compare"))
    if findings.n_runs > 1:
        agreement = sum(feature.agreement for feature in chosen) / len(chosen)
        shown.append((percent(agreement), f"mean agreement of {findings.n_runs} runs"))
    unique = selector.selection_.unique_percentage
    shown.append((f"{unique:.0f}\u00a0%", "unique before collisions were resolved"))
    shown.append((seconds(selector.fit_seconds_), "to select"))
    return shown
