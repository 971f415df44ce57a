"""The selected features as pixels of an image."""

from __future__ import annotations

import numpy as np
from markupsafe import Markup

from ipcae.grids import Grid
from ipcae.report.charts.png import png_uri
from ipcae.report.findings import Findings
from ipcae.report.templates import render


def draw_grid(findings: Findings, grid: Grid) -> Markup:
    """Return the selected features on the grid, numbered by rank on small grids."""
    measured = findings.measured
    if measured is None:
        background = findings.selector.selection_.probability.astype(np.float64)
    else:
        background = measured.sample.rows.inputs.double().mean(0).numpy()
    low, high = float(background.min()), float(background.max())
    return render(
        "grid",
        rows=grid[0],
        columns=grid[1],
        # Use a lighter range of grays for the background.
        background=png_uri(background.reshape(grid), low, high + 0.8 * (high - low)),
        features=[feature for feature in findings.features if feature.selected],
        numbered=max(grid) <= 16,
        measured=measured,
    )
