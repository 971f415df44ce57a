"""Images of reconstructed rows, or R² of the columns."""

from __future__ import annotations

import numpy as np
from markupsafe import Markup
from sklearn.metrics import r2_score

from ipcae.feature_table import reconstructed_columns
from ipcae.grids import Grid
from ipcae.report.charts.png import png_uri
from ipcae.report.details.dispatch import draw_details
from ipcae.report.findings import Findings, Measured
from ipcae.report.templates import render
from ipcae.tasks import Reconstruction
from ipcae.text import fixed, shortened

MOST_COLUMNS, N_IMAGES = 8, 4


@draw_details.register
def _(task: Reconstruction, measured: Measured, findings: Findings) -> Markup:
    if findings.grid is None:
        return _columns(task, measured, findings)
    return _gallery(task, measured, findings, findings.grid)


def _columns(task: Reconstruction, measured: Measured, findings: Findings) -> Markup:
    """Return the unselected columns with the best and worst R²."""
    true, outputs = task.compared(measured.evaluation.outputs, measured.evaluation.targets)
    r2 = r2_score(true, outputs, multioutput="raw_values")
    (names, columns), varies = reconstructed_columns(findings.selector), true.min(0) != true.max(0)
    wanted = varies & np.isfinite(r2) & ~findings.selector.get_support()[columns]
    order = [i for i in np.argsort(-r2, kind="stable") if wanted[i]]
    parts = {"column": order}
    if len(order) > 2 * MOST_COLUMNS:
        parts = {
            "best reconstructed": order[:MOST_COLUMNS],
            "worst reconstructed": order[: -MOST_COLUMNS - 1 : -1],
        }
    tables = {
        name: [(shortened(names[i], 40), fixed(float(r2[i]), 3)) for i in part]
        for name, part in parts.items()
    }
    return render("columns", tables_by_name=tables) if order else Markup("")


def _gallery(task: Reconstruction, measured: Measured, findings: Findings, grid: Grid) -> Markup:
    """Return the best and worst reconstructed rows, as images."""
    evaluation, original = measured.evaluation, measured.sample.rows.inputs.double().numpy()
    true = task.scaled(evaluation.targets).double()
    order = np.argsort((evaluation.outputs - true).square().mean(-1).numpy(), kind="stable")
    n_shown = min(N_IMAGES, len(order) // 2)
    low, high = float(original.min()), float(original.max())
    selected = findings.selector.get_support()

    def images(row: int) -> dict[str, str]:
        kinds = {
            "original": original[row],
            "selected features": np.where(selected, original[row], np.nan),
            "reconstruction": task.predictions(evaluation.outputs[row : row + 1])[0],
        }
        return {
            f"row {row}, {kind}": png_uri(values.reshape(grid), low, high)
            for kind, values in kinds.items()
        }

    parts = {"Best": order[:n_shown].tolist(), "Worst": order[::-1][:n_shown].tolist()}
    groups = {name: [images(row) for row in rows] for name, rows in parts.items()}
    return render("gallery", groups=groups)
