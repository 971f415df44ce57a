"""The held-out rows one by one: a confusion matrix, predictions, reconstructions."""

from __future__ import annotations

from functools import singledispatch
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.metrics import confusion_matrix, r2_score

from ipcae.evaluation import Evaluation, Sample
from ipcae.feature_table import feature_names
from ipcae.grids import Grid
from ipcae.report.axes import axis_over
from ipcae.report.images import image
from ipcae.report.line_chart import BOTTOM, HEIGHT, LEFT, RIGHT, TOP, WIDTH
from ipcae.report.markup import Html, escape, join, paragraph, table
from ipcae.tasks import METRICS, Classification, Multilabel, Reconstruction, Regression, Task
from ipcae.text import fixed, number, percent, shortened

MOST_CLASSES, MOST_POINTS, MOST_TARGETS, MOST_COLUMNS, N_IMAGES = 20, 600, 4, 8, 4


def draw_held_out(selector: Any, evaluation: Evaluation, sample: Sample, grid: Grid | None) -> Html:
    """Return the metrics and what the task is best judged by."""
    task = evaluation.task
    header = ("metric", "selected features", f"always {task.baseline_name}")
    rows = [
        (METRICS[name].label, METRICS[name].write(value), METRICS[name].write(baseline))
        for (name, value), baseline in zip(
            evaluation.metrics.items(), evaluation.baseline.values(), strict=True
        )
    ]
    return join(
        table(header, rows, "Metrics"), draw_details(task, selector, evaluation, sample, grid)
    )


@singledispatch
def draw_details(
    task: Task, selector: Any, evaluation: Evaluation, sample: Sample, grid: Grid | None
) -> Html:
    """Return what the predictions of a task look like row by row; nothing for an unknown task."""
    return Html("")


@draw_details.register
def _classes(
    task: Classification, selector: Any, evaluation: Evaluation, sample: Sample, grid: Grid | None
) -> Html:
    predicted = evaluation.outputs.argmax(-1).numpy()
    labels = range(task.n_outputs)
    counts = confusion_matrix(evaluation.targets.numpy(), predicted, labels=labels)
    return _confusion(counts, task.classes)


@draw_details.register
def _multilabel(
    task: Multilabel, selector: Any, evaluation: Evaluation, sample: Sample, grid: Grid | None
) -> Html:
    return _labels(evaluation)


@draw_details.register
def _regression(
    task: Regression, selector: Any, evaluation: Evaluation, sample: Sample, grid: Grid | None
) -> Html:
    return _predictions(evaluation)


@draw_details.register
def _reconstruction(
    task: Reconstruction, selector: Any, evaluation: Evaluation, sample: Sample, grid: Grid | None
) -> Html:
    if grid is None:
        return _columns(evaluation, selector)
    return _images(selector, evaluation, sample, grid)


def _confusion(counts: NDArray[np.int64], classes: NDArray[Any]) -> Html:
    order = np.arange(len(classes))
    note = ""
    if len(classes) > MOST_CLASSES:
        order = np.sort(np.argsort(-counts.sum(1), kind="stable")[:MOST_CLASSES])
        note = f" The {MOST_CLASSES} commonest of {len(classes)} classes are shown."
    names = [shortened(str(classes[i]), 18) for i in order]
    rows = []
    for name, i in zip(names, order, strict=True):
        total = max(int(counts[i].sum()), 1)
        cells = "".join(
            f'<td class="{"right" if i == j else "wrong"}" '
            f'style="--heat:{counts[i, j] / total:.3f}">{counts[i, j] or "·"}</td>'
            for j in order
        )
        recall = percent(counts[i, i] / total) if counts[i].sum() else "–"
        rows.append(f'<tr><th scope="row">{escape(name)}</th>{cells}<td>{recall}</td></tr>')
    head = "".join(f'<th scope="col"><span>{escape(name)}</span></th>' for name in names)
    return Html(
        '<h3>Which class is taken for which</h3><div class="box" tabindex="0" role="region" '
        'aria-label="Confusion matrix"><table class="heat"><caption class="unseen">Confusion '
        "matrix: rows are true classes, columns predicted ones</caption><thead><tr>"
        f'<th scope="col" class="corner">true ↓ predicted →</th>{head}<th scope="col"><span>'
        f"right</span></th></tr></thead><tbody>{''.join(rows)}</tbody></table></div>"
        f'<p class="note">Numbers are rows; the shade is their share of the true class.{note}</p>'
    )


def _labels(evaluation: Evaluation) -> Html:
    right = ((evaluation.outputs > 0) == (evaluation.targets > 0.5)).double().mean(0)
    share = evaluation.targets.double().mean(0)
    rows = [
        (f"label {i}", percent(float(s)), percent(float(r)))
        for i, (s, r) in enumerate(zip(share, right, strict=True))
    ]
    return table(("label", "rows that have it", "right"), rows[:100], "Labels")


def _predictions(evaluation: Evaluation) -> Html:
    outputs = evaluation.task.answers(evaluation.outputs).reshape(len(evaluation.outputs), -1)
    targets = evaluation.targets.double().numpy()
    n_rows, n_targets = targets.shape
    shown = np.sort(np.random.default_rng(0).permutation(n_rows)[:MOST_POINTS])
    names = [""] if n_targets == 1 else [f", target {i}" for i in range(n_targets)]
    charts = [
        _scatter(targets[shown, i], outputs[shown, i], f"Predicted against true{names[i]}")
        for i in range(min(n_targets, MOST_TARGETS))
    ]
    notes = ["On the line, a prediction is right."]
    if n_rows > MOST_POINTS:
        notes.append(f"{MOST_POINTS} of {n_rows:,} rows are drawn.")
    if n_targets > MOST_TARGETS:
        notes.append(f"{MOST_TARGETS} of {n_targets} targets are drawn.")
    return join(
        Html(f'<div class="charts">{join(*charts)}</div>'), paragraph(" ".join(notes), "note")
    )


def _scatter(true: NDArray[np.float64], predicted: NDArray[np.float64], title: str) -> Html:
    values = [*true.tolist(), *predicted.tolist()]
    x_axis, y_axis = axis_over(values, LEFT, RIGHT), axis_over(values, BOTTOM, TOP)
    ticks = "".join(
        f'<path class="grid" d="M{LEFT} {y_axis.place(t):.1f}H{RIGHT}"/>'
        f'<text class="y" x="{LEFT - 6}" y="{y_axis.place(t) + 4:.1f}">{number(t)}</text>'
        f'<text class="x" x="{x_axis.place(t):.1f}" y="{BOTTOM + 17}">{number(t)}</text>'
        for t in x_axis.ticks()
    )
    dots = "".join(
        f'<circle cx="{x_axis.place(x):.1f}" cy="{y_axis.place(y):.1f}" r="3"/>'
        for x, y in zip(true.tolist(), predicted.tolist(), strict=True)
        if np.isfinite(y)
    )
    return Html(
        f'<figure class="chart"><figcaption>{escape(title)}</figcaption>'
        f'<svg class="scatter" viewBox="0 0 {WIDTH} {HEIGHT}" role="img" '
        f'aria-label="{escape(title)}: {len(true)} rows">{ticks}'
        f'<path class="remark" d="M{LEFT} {BOTTOM}L{RIGHT} {TOP}"/>{dots}'
        f'<text class="x label" x="{(LEFT + RIGHT) / 2}" y="{HEIGHT - 5}">true</text></svg>'
        "</figure>"
    )


def _columns(evaluation: Evaluation, selector: Any) -> Html:
    """Return which columns are restored best and worst, the selected ones aside."""
    true = evaluation.task.scaled(evaluation.targets).double().numpy()
    explained = r2_score(true, evaluation.outputs.numpy(), multioutput="raw_values")
    explained = np.where(true.min(0) != true.max(0), explained, np.nan)
    names, support = feature_names(selector), selector.get_support()
    order = [i for i in np.argsort(-explained) if np.isfinite(explained[i]) and not support[i]]
    if not order:
        return Html("")
    many = len(order) > 2 * MOST_COLUMNS
    parts = [("Best", order[:MOST_COLUMNS]), ("Worst", order[: -MOST_COLUMNS - 1 : -1])]
    tables = [
        table(
            (f"{word} restored" if many else "column", "R²"),
            [(shortened(names[i], 40), fixed(float(explained[i]), 3)) for i in part],
            f"{word} restored columns",
        )
        for word, part in (parts if many else [("All", order)])
    ]
    return join(
        Html('<h3>Which unselected columns are restored well</h3><div class="beside">'),
        *tables,
        Html("</div>"),
    )


def _images(selector: Any, evaluation: Evaluation, sample: Sample, grid: Grid) -> Html:
    true_rows = evaluation.task.scaled(evaluation.targets).double()
    errors = (evaluation.outputs - true_rows).square().mean(-1).numpy()
    order = np.argsort(errors, kind="stable")
    n_shown = min(N_IMAGES, len(order) // 2)
    original = sample.rows.inputs.double().numpy()
    low, high = float(original.min()), float(original.max())
    unmeasured = ~selector.get_support()
    groups = []
    for word, rows in (("Best", order[:n_shown]), ("Worst", order[::-1][:n_shown])):
        restored = evaluation.task.answers(evaluation.outputs[rows.copy()])
        columns = []
        for row, rebuilt in zip(rows, restored, strict=True):
            true = original[row]
            measured = np.where(unmeasured, np.nan, true)
            drawn = [
                image(values, grid, low, high, f"row {row}, {what}")
                for what, values in (("true", true), ("measured", measured), ("restored", rebuilt))
            ]
            columns.append(f'<div class="triple">{join(*drawn)}</div>')
        groups.append(f'<div><h4>{word}</h4><div class="triples">{"".join(columns)}</div></div>')
    return join(
        Html("<h3>Best and worst reconstructions</h3>"),
        Html(f'<div class="galleries">{"".join(groups)}</div>'),
        paragraph(
            "From top to bottom: the row itself, what is measured of it, what is restored "
            "from that.",
            "note",
        ),
    )
