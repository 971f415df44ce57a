"""What was asked and found, in one sentence and a few numbers."""

from __future__ import annotations

from ipcae.report.comparison import Comparison
from ipcae.report.findings import Findings
from ipcae.text import count, duration, percent


def headline(findings: Findings) -> str:
    """Return the sentence."""
    task = findings.selector.task_
    asked = (
        f"Asked for {findings.n_selected:,} of {len(findings.features):,} features "
        f"{task.purpose}, {selector_words(findings)} found a set"
    )
    evaluation = findings.evaluation
    if evaluation is None or findings.sample is None:
        return f"{asked}; no rows were given to measure it on."
    rows = count(len(findings.sample), "row")
    found = f"that {task.finding(evaluation.score)} in {rows}"
    others = []
    if task.discrete:
        others = [f"always {task.baseline_name}: {percent(evaluation.baseline_score)}"]
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


def tiles(findings: Findings) -> list[tuple[str, str]]:
    """Return the numbers to see first, each with its meaning."""
    selector, evaluation = findings.selector, findings.evaluation
    chosen = [feature for feature in findings.features if feature.selected]
    shown = [(f"{findings.n_selected:,} of {len(findings.features):,}", "features selected")]
    task = selector.task_
    if evaluation is not None:
        which = "given" if findings.training is None else "held-out"
        shown.append((task.write_score(evaluation.score), f"{task.score_label}, {which} rows"))
    if isinstance(findings.comparison, Comparison):
        comparison = findings.comparison
        everything = comparison.scores[max(comparison.scores)]
        shown.append((task.write_score(everything), "with all features, trained to compare"))
    if findings.n_runs > 1:
        agreement = sum(feature.agreement for feature in chosen) / len(chosen)
        shown.append((percent(agreement), f"mean agreement of {findings.n_runs} runs"))
    unique = selector.selection_.unique_percentage
    shown.append((f"{unique:.0f}\u00a0%", "unique before collisions were resolved"))
    shown.append((duration(selector.fit_seconds_), "to select"))
    return shown
