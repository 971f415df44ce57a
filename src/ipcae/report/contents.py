"""The sections of a report."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from markupsafe import Markup

from ipcae.report.comparison import Comparison
from ipcae.report.findings import Findings, Measured
from ipcae.report.sections.chance import draw_chance
from ipcae.report.sections.comparison_chart import draw_comparison
from ipcae.report.sections.constraints import draw_constraints, has_constraints
from ipcae.report.sections.correlation_map import draw_correlations
from ipcae.report.sections.cross_validation import draw_cross_validation
from ipcae.report.sections.discoveries import draw_discoveries
from ipcae.report.sections.facts import draw_facts
from ipcae.report.sections.feature_table import draw_table
from ipcae.report.sections.grid import draw_grid
from ipcae.report.sections.held_out import draw_held_out
from ipcae.report.sections.methods import draw_methods
from ipcae.report.sections.reasons import draw_reasons
from ipcae.report.sections.stability import draw_stability
from ipcae.report.sections.training import draw_training
from ipcae.report.templates import render


@dataclass(frozen=True)
class Section:
    """A section with its heading and HTML content."""

    anchor: str
    heading: str
    content: Markup


def sections_of(findings: Findings, facts: Mapping[str, Any]) -> list[Section]:
    """Return the sections in order, without those that there is nothing to show in."""
    every = (
        _features(findings),
        _constraints(findings),
        _grid(findings),
        _cross_validation(findings),
        _held_out(findings),
        _chance(findings),
        *_about_rows(findings),
        _methods(findings),
        _stability(findings),
        _discoveries(findings),
        Section("training", "Training", draw_training(findings.selector)),
        Section("facts", "Settings and versions", draw_facts(facts)),
    )
    return [section for section in every if section is not None]


def _features(findings: Findings) -> Section:
    measured = findings.measured
    rows_name = "validation" if measured is None else measured.rows_name
    content = draw_table(findings.features, rows_name, findings.stability)
    return Section("features", "Selected features", content)


def _constraints(findings: Findings) -> Section | None:
    if not has_constraints(findings.selector.constraints_):
        return None
    return Section("constraints", "Constraints", draw_constraints(findings))


def _grid(findings: Findings) -> Section | None:
    if findings.grid is None:
        return None
    return Section("grid", "On the grid", draw_grid(findings, findings.grid))


def _cross_validation(findings: Findings) -> Section | None:
    selector = findings.selector
    if not hasattr(selector, "cv_results_"):
        return None
    score = getattr(selector, "cv_scoring_", selector.task_.selector_score)
    n_selected = int(selector.n_features_to_select)
    content = draw_cross_validation(selector.cv_results_, n_selected, score)
    return Section("cross-validation", "Number of features", content)


def _held_out(findings: Findings) -> Section:
    measured = findings.measured
    if measured is None:
        return Section("rows", "Evaluation", render("no_rows"))
    heading = f"Performance on {measured.rows_name} rows"
    return Section("held-out", heading, draw_held_out(findings, measured))


def _chance(findings: Findings) -> Section | None:
    if findings.chance is None:
        return None
    return Section("chance", "Comparison with chance", draw_chance(findings.chance))


def _about_rows(findings: Findings) -> list[Section]:
    """Return the sections that need rows."""
    measured = findings.measured
    if measured is None:
        return []
    return [
        Section("comparison", "Fewer and more features", _comparison(measured)),
        Section("reasons", "Contribution of each feature", draw_reasons(findings, measured)),
        Section("correlated", "Correlated features", _correlations(measured)),
    ]


def _methods(findings: Findings) -> Section | None:
    selector = findings.selector
    if not hasattr(selector, "comparison_"):
        return None
    score = getattr(selector, "cv_scoring_", None)
    content = draw_methods(selector.comparison_, selector.task_, score)
    return Section("methods", "Methods compared", content)


def _stability(findings: Findings) -> Section | None:
    if findings.stability is None:
        return None
    content = draw_stability(findings.stability, findings.selector)
    return Section("stability", "Stability over rows", content)


def _discoveries(findings: Findings) -> Section | None:
    if findings.discoveries is None:
        return None
    content = draw_discoveries(findings.discoveries, findings.selector)
    return Section("discoveries", "False discoveries", content)


def _comparison(measured: Measured) -> Markup:
    if not isinstance(measured.comparison, Comparison):
        return _paragraph(measured.comparison)
    task, split = measured.evaluation.task, measured.training is None
    return draw_comparison(measured.comparison, task, split=split)


def _correlations(measured: Measured) -> Markup:
    if measured.correlations is None:
        return _paragraph("All features are selected: there are no others to correlate with.")
    rows_name = "given" if measured.training is None else "training"
    return draw_correlations(measured.correlations, rows_name)


def _paragraph(sentence: str) -> Markup:
    return render("paragraph", sentence=sentence)
