"""The summary of a report: a headline and the main numbers."""

from __future__ import annotations

from dataclasses import dataclass

from ipcae.report.comparison import Comparison
from ipcae.report.findings import Findings
from ipcae.text import count


@dataclass(frozen=True)
class Tile:
    """One of the main numbers, and its label."""

    value: str
    name: str


def headline(findings: Findings) -> str:
    """Return the first sentences of the report."""
    selector, features = findings.selector, findings.features
    method = selector.method_
    method = method if isinstance(method, str) else type(method).__name__
    n_runs = len(selector.selections_)
    runs = f" (best of {n_runs} runs)" if n_runs > 1 else ""
    selected = (
        f"{method} selected {features.n_selected:,} of {len(features):,} features "
        f"{selector.task_.purpose}{runs}."
    )
    measured = findings.measured
    if measured is None:
        return f"{selected} No rows were given to evaluate the selection on."
    rows = count(len(measured.sample), f"{measured.rows_name} row")
    finding = selector.task_.finding(measured.evaluation.score)
    return f"{selected} On {rows}, a decoder of these features {finding}."


def tiles(findings: Findings) -> list[Tile]:
    """Return the main numbers."""
    features, measured = findings.features, findings.measured
    shown = [Tile(f"{features.n_selected:,} of {len(features):,}", "features selected")]
    if measured is None:
        return shown
    evaluation, comparison = measured.evaluation, measured.comparison
    label, write = evaluation.task.score_label, evaluation.task.write_score
    shown += [
        Tile(write(evaluation.score), f"{label}, {measured.rows_name} rows"),
        Tile(
            write(evaluation.baseline_score), f"{label}, baseline: {evaluation.task.baseline_name}"
        ),
    ]
    if isinstance(comparison, Comparison):
        fewer = comparison.n_held_out < len(measured.sample)
        rows = f", {count(comparison.n_held_out, 'row')}" if fewer else ""
        shown.append(Tile(write(comparison.all_features), f"{label}, all features{rows}"))
    return shown
