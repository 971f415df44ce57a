"""The sections of a report."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from markupsafe import Markup

from ipcae.report.comparison import Comparison
from ipcae.report.findings import Findings, Measured
from ipcae.report.sections.chance import draw_chance
from ipcae.report.sections.comparison_chart import draw_comparison
from ipcae.report.sections.constraints import draw_constraints, has_constraints
from ipcae.report.sections.correlation_map import draw_correlations
from ipcae.report.sections.cross_validation import draw_cross_validation, draw_methods
from ipcae.report.sections.discoveries import draw_discoveries
from ipcae.report.sections.facts import draw_facts
from ipcae.report.sections.feature_table import draw_table
from ipcae.report.sections.grid import draw_grid
from ipcae.report.sections.held_out import draw_held_out
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
    return [
        *_about_selection(findings),
        *_about_rows(findings),
        *_about_other_selections(findings),
        Section("training", "Training", draw_training(findings.selector)),
        Section("facts", "Settings and versions", draw_facts(facts)),
    ]


def _about_selection(findings: Findings) -> Iterator[Section]:
    selector, measured = findings.selector, findings.measured
    rows_name = "validation" if measured is None else measured.rows_name
    table = draw_table(findings.features, rows_name, findings.stability)
    yield Section("features", "Selected features", table)
    if has_constraints(selector.constraints_):
        yield Section("constraints", "Constraints", draw_constraints(findings))
    if findings.grid is not None:
        yield Section("grid", "On the grid", draw_grid(findings, findings.grid))
    if hasattr(selector, "cv_results_"):
        score = getattr(selector, "cv_scoring_", selector.task_.selector_score)
        n_selected = int(selector.n_features_to_select)
        scores = draw_cross_validation(selector.cv_results_, n_selected, score)
        yield Section("cross-validation", "Number of features", scores)


def _about_rows(findings: Findings) -> Iterator[Section]:
    """Yield the sections about the predictions for given rows and for folds."""
    measured = findings.measured
    if measured is None:
        yield Section("rows", "Evaluation", render("no_rows"))
    else:
        heading = f"Performance on {measured.rows_name} rows"
        yield Section("held-out", heading, draw_held_out(findings, measured))
    if findings.chance is not None:
        yield Section("chance", "Comparison with chance", draw_chance(findings.chance))
    if measured is not None:
        yield Section("comparison", "Fewer and more features", _comparison(measured))
        yield Section("reasons", "Contribution of each feature", draw_reasons(findings, measured))
        yield Section("correlated", "Correlated features", _correlations(measured))


def _about_other_selections(findings: Findings) -> Iterator[Section]:
    """Yield the sections about other methods, other rows and decoys."""
    selector = findings.selector
    stability, discoveries = findings.stability, findings.discoveries
    if hasattr(selector, "comparison_"):
        score = getattr(selector, "cv_scoring_", None)
        compared = draw_methods(selector.comparison_, selector.task_, score)
        yield Section("methods", "Methods compared", compared)
    if stability is not None:
        yield Section("stability", "Stability over rows", draw_stability(stability, selector))
    if discoveries is not None:
        yield Section("discoveries", "False discoveries", draw_discoveries(discoveries, selector))


def _comparison(measured: Measured) -> Markup:
    if not isinstance(measured.comparison, Comparison):
        return render("paragraph", sentence=measured.comparison)
    task, split = measured.evaluation.task, measured.training is None
    return draw_comparison(measured.comparison, task, split=split)


def _correlations(measured: Measured) -> Markup:
    if measured.correlations is None:
        sentence = "All features are selected: there are no others to correlate with."
        return render("paragraph", sentence=sentence)
    rows_name = "given" if measured.training is None else "training"
    return draw_correlations(measured.correlations, rows_name)
