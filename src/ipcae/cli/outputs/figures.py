"""The figures of a selection as PNG files.

A module of its own, because matplotlib is imported only when the selection has been printed.
"""

from __future__ import annotations

from typing import Any

from ipcae.feature_table import FeatureTable, feature_names
from ipcae.plots import plot_selection, plot_stability, plot_training, png_bytes


def training_png(selector: Any) -> bytes:
    """Draw the training curves."""
    return png_bytes(plot_training(selector.history_, selector.best_run_))


def selection_png(features: FeatureTable) -> bytes:
    """Draw the selected features."""
    return png_bytes(plot_selection(features))


def stability_png(selector: Any) -> bytes:
    """Draw how often features are selected from subsamples of the rows."""
    return png_bytes(plot_stability(selector.row_stability_, feature_names(selector)))
