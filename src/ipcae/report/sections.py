"""The sections of a report."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from markupsafe import Markup

from ipcae.report.chance import draw_chance
from ipcae.report.comparison import Comparison
from ipcae.report.comparison_chart import draw_comparison
from ipcae.report.constraints import draw_constraints, has_constraints
from ipcae.report.correlation_map import draw_correlations
from ipcae.report.cross_validation import draw_cross_validation
from ipcae.report.discoveries import draw_discoveries
from ipcae.report.facts import draw_facts
from ipcae.report.feature_table import draw_table
from ipcae.report.findings import Findings, Measured
from ipcae.report.grid import draw_grid
from ipcae.report.held_out import draw_held_out
from ipcae.report.methods import draw_methods
from ipcae.report.reasons import draw_reasons
from ipcae.report.stability import draw_stability
from ipcae.report.templates import render
from ipcae.report.training import draw_training


@dataclass(frozen=True)
class Section:
    """A section with its heading and HTML content."""

    anchor: str
    heading: str
    content: Markup


def sections_of(findings: Findings, facts: Mapping[str, Any]) -> list[Section]:
    """Return the sections in order."""
    measured = findings.measured
    rows_name = "validation" if measured is None else measured.rows_name
    table = draw_table(findings.features, rows_name, findings.stability)
    sections = [Section("features", "Selected features", table)]
    if has_constraints(findings.selector.constraints_):
        sections.append(Section("constraints", "Constraints", draw_constraints(findings)))
    if findings.grid is not None:
        sections.append(Section("grid", "On the grid", draw_grid(findings, findings.grid)))
    results = getattr(findings.selector, "cv_results_", None)
    if results is not None:
        n_selected = int(findings.selector.n_features_to_select)
        task = findings.selector.task_
        score = getattr(findings.selector, "cv_scoring_", task.selector_score)
        content = draw_cross_validation(results, n_selected, score)
        sections.append(Section("cross-validation", "How many features", content))
    if measured is None:
        sections.append(Section("rows", "Evaluation", render("no_rows")))
        sections += _chance(findings)
    else:
        sections += [
            Section(
                "held-out",
                f"Performance on {measured.rows_name} rows",
                draw_held_out(findings, measured),
            ),
            *_chance(findings),
            Section("comparison", "Fewer and more features", _comparison(measured)),
            Section("reasons", "Why these features", draw_reasons(findings, measured)),
            Section("correlated", "Correlated features", _correlations(measured)),
        ]
    compared = getattr(findings.selector, "comparison_", None)
    if compared is not None:
        score = getattr(findings.selector, "cv_scoring_", None)
        content = draw_methods(compared, findings.selector.task_, score)
        sections.append(Section("methods", "Methods compared", content))
    if findings.stability is not None:
        content = draw_stability(findings.stability, findings.selector)
        sections.append(Section("stability", "Stability over rows", content))
    if findings.discoveries is not None:
        content = draw_discoveries(findings.discoveries, findings.selector)
        sections.append(Section("discoveries", "False discoveries", content))
    return [
        *sections,
        Section("training", "Training", draw_training(findings.selector)),
        Section("facts", "Settings and versions", draw_facts(facts)),
    ]


def _chance(findings: Findings) -> list[Section]:
    if findings.chance is None:
        return []
    return [Section("chance", "Against chance", draw_chance(findings.chance))]


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
