"""A map of the features that are correlated with the selected ones."""

from __future__ import annotations

from markupsafe import Markup

from ipcae.report.correlation import STRONG, Correlations
from ipcae.report.templates import render


def draw_correlations(found: Correlations, rows_name: str) -> Markup:
    """Return the correlations as a shaded table, and the closest features as a list.

    ``rows_name`` describes the rows that they are computed on, such as "training".
    """
    lines = zip(found.selected, found.correlation.tolist(), strict=True)
    return render(
        "correlation_map", found=found, lines=list(lines), strong=STRONG, rows_name=rows_name
    )
