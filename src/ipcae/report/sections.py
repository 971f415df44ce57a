"""The sections of the page, each with its heading."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from ipcae.report.comparison import Comparison
from ipcae.report.comparison_chart import draw_comparison
from ipcae.report.curves import draw_curves
from ipcae.report.details import draw_held_out
from ipcae.report.facts import draw_facts, draw_runs
from ipcae.report.feature_table import draw_table, shown_features
from ipcae.report.findings import Findings
from ipcae.report.images import draw_selection
from ipcae.report.markup import Html, join, paragraph
from ipcae.report.substitutes_map import draw_substitutes
from ipcae.text import count

Section = tuple[str, str, Html]
_ADD_ROWS = "Pass X and y, rows that fit never saw, and this page adds {}."


def sections_of(findings: Findings, facts: Mapping[str, Any]) -> list[Section]:
    """Return (anchor, heading, content) of every section."""
    selector = findings.selector
    rows = shown_features(findings.features)
    listed = draw_table(rows, len(findings.features), findings.n_runs)
    sections = [("features", "The features", listed)]
    if findings.grid is not None:
        sections.append(("grid", "On the grid", _grid(findings)))
    if findings.sample is None:
        missing = (
            "held-out metrics, a comparison with fewer, more and all features, and a map of which "
            "features stand in for which others"
        )
        sections.append(("rows", "On rows of data", paragraph(_ADD_ROWS.format(missing))))
    else:
        sections += _measured(findings)
    best = selector.best_run_
    curves = draw_curves(selector.history_, best, selector.best_epoch_[best])
    runs = join(curves, _legend_note(findings), draw_runs(selector))
    sections.append(("training", "Training", runs))
    sections.append(("facts", "Settings and versions", draw_facts(facts)))
    return sections


def _measured(findings: Findings) -> list[Section]:
    selector, evaluation, sample = findings.selector, findings.evaluation, findings.sample
    assert evaluation is not None
    assert sample is not None
    left_out = (
        f" {count(sample.n_unknown, 'more row')} of classes that fit never saw "
        f"{'is' if sample.n_unknown == 1 else 'are'} left out."
        if sample.n_unknown
        else ""
    )
    n_rows = count(len(sample), "row")
    words = (
        f"The selector's own decoder on {n_rows} held out (X); the guess is made from the "
        "training rows (X_train)."
        if findings.training is not None
        else f"The selector's own decoder on the {n_rows} given (X), from which the guess is made "
        "too. If fit saw them, these numbers flatter."
    )
    source = paragraph(words + left_out)
    held_out = join(source, draw_held_out(selector, evaluation, sample, findings.grid))
    return [
        ("held-out", "On held-out rows", held_out),
        ("comparison", "Fewer, more, all", _comparison(findings)),
        ("substitutes", "Which features stand in for which", _substitutes(findings)),
    ]


def _comparison(findings: Findings) -> Html:
    comparison = findings.comparison
    if not isinstance(comparison, Comparison):
        return paragraph(comparison or "")
    split = (
        "They learned from the training rows (X_train)."
        if findings.training is not None
        else "They learned from two thirds of the given rows (X); the last third is held out."
    )
    return draw_comparison(comparison, findings.selector.task_, split)


def _substitutes(findings: Findings) -> Html:
    if findings.substitutes is None:
        return paragraph("All features are selected: none is left to stand in for.")
    rows = "{} given (X)" if findings.training is None else "{} to train on (X_train)"
    return draw_substitutes(findings.substitutes, rows)


def _grid(findings: Findings) -> Html:
    assert findings.grid is not None
    chosen = [feature for feature in findings.features if feature.selected]
    if findings.sample is None:
        background = findings.selector.selection_.probability.astype(np.float64)
        words = "the probability of every feature; darker is likelier"
    else:
        background = findings.sample.rows.inputs.double().mean(0).numpy()
        words = f"the mean of the {count(len(findings.sample), 'row')} given"
    drawing = draw_selection(
        [feature.index for feature in chosen],
        [feature.name for feature in chosen],
        findings.grid,
        background,
    )
    return join(drawing, paragraph(f"The selected features on {words}.", "note"))


def _legend_note(findings: Findings) -> Html:
    best = findings.selector.best_run_
    which = (
        f"Run {best} has the lowest validation loss and is the answer. "
        if (findings.n_runs > 1)
        else ""
    )
    return paragraph(
        f"{which}The ring is the epoch whose features are kept. Point at a curve, touch it or use "
        "the arrow keys for its values.",
        "note",
    )
