"""Pictures of what a selector did: plain data in, a matplotlib figure out.

Nothing here touches pyplot or its global state, so a figure can be drawn in any thread, without a
display, and closed by forgetting it.
"""

from ipcae.plots.grid import plot_grid_selection, plot_reconstructions
from ipcae.plots.png import png_bytes
from ipcae.plots.ranking import Ranking, rank_features
from ipcae.plots.selection import plot_selection
from ipcae.plots.training import plot_training

__all__ = [
    "Ranking",
    "plot_grid_selection",
    "plot_reconstructions",
    "plot_selection",
    "plot_training",
    "png_bytes",
    "rank_features",
]
