"""Figures of selections and of their training.

The functions take arrays and return a matplotlib figure. They do not use pyplot or its global
state, so figures can be drawn in any thread, without a display, and need not be closed. The
displays follow scikit-learn, as in ``SelectionDisplay.from_estimator(selector)``, and draw on a
pyplot figure unless Axes are passed.

In reading order: ``selection``, ``training``, ``grid`` and ``timelapse`` have the functions. The
displays are ``selection_display``, ``training_display``, ``reconstruction_display``,
``runs_display``, ``path_display``, ``stability_display`` and ``null_display``; ``panels`` has their
Axes and finds the selector that a search has fitted. ``style`` is common to all figures.
"""

from ipcae.plots.grid import plot_grid_selection, plot_reconstructions
from ipcae.plots.null_display import NullDisplay
from ipcae.plots.path_display import PathDisplay
from ipcae.plots.reconstruction_display import ReconstructionDisplay
from ipcae.plots.runs_display import RunsDisplay
from ipcae.plots.selection import plot_selection
from ipcae.plots.selection_display import SelectionDisplay
from ipcae.plots.stability_display import StabilityDisplay, plot_stability
from ipcae.plots.style import png_bytes
from ipcae.plots.timelapse import selection_timelapse
from ipcae.plots.training import plot_training
from ipcae.plots.training_display import TrainingDisplay

__all__ = [
    "NullDisplay",
    "PathDisplay",
    "ReconstructionDisplay",
    "RunsDisplay",
    "SelectionDisplay",
    "StabilityDisplay",
    "TrainingDisplay",
    "plot_grid_selection",
    "plot_reconstructions",
    "plot_selection",
    "plot_stability",
    "plot_training",
    "png_bytes",
    "selection_timelapse",
]
