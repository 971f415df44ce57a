"""A display of the selected features."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Self

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from numpy.typing import NDArray

from ipcae.feature_table import FeatureTable
from ipcae.grids import Grid, check_grid
from ipcae.plots import style
from ipcae.plots.grid import plot_grid_selection
from ipcae.plots.panels import fitted_selector, panels_for
from ipcae.plots.selection import MOST, plot_selection, selection_size


@dataclass(kw_only=True, eq=False, repr=False)
class SelectionDisplay:
    """Importance and certainty of the selected features, or the selected pixels on a grid.

    Create it with :meth:`from_estimator`.

    Parameters
    ----------
    ranking : FeatureTable
        The features of a fitted selector.
    grid : tuple of int, optional
        Rows and columns of the image whose pixels are the features.
    background : array of shape (D,), optional
        The image to draw the pixels on; by default the selection probability of every pixel.

    Attributes
    ----------
    ax_ : Axes, or array of two Axes
        Axes for importance and certainty, or a single one for a grid.
    figure_ : Figure

    See Also
    --------
    ipcae.plots.RunsDisplay : The selections of all runs.
    ipcae.plots.TrainingDisplay : Curves of the training.
    ipcae.plots.plot_selection : The features as a figure.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from ipcae import ClassificationSelector
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> selector = ClassificationSelector(2, max_epochs=5, random_state=0).fit(X, y)
    >>> display = SelectionDisplay.from_estimator(selector)
    >>> [panel.get_xlabel() for panel in display.ax_]
    ['importance: loss increase when shuffled', 'relative to the best']
    """

    ranking: FeatureTable
    grid: Grid | None = None
    background: NDArray[Any] | None = None
    ax_: Any = field(init=False)
    figure_: Figure = field(init=False)

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: Any = None,
        *,
        grid: Grid | None = None,
        most: int = MOST,
        ax: Axes | Any = None,
    ) -> Self:
        """Draw the selection of a fitted selector.

        Parameters
        ----------
        estimator : selector
            A fitted selector, or a search that fitted one, such as a SelectorCV.
        X : array of shape (n_rows, D), optional
            Images whose mean is the background of a grid.
        grid : tuple of int, optional
            Rows and columns of the image whose pixels are the features, in row-major order.
        most : int
            Draw at most ``most`` features.
        ax : Axes or two Axes, optional
            Axes to draw on; by default those of a new figure.
        """
        estimator = fitted_selector(estimator)
        grid = check_grid(grid, estimator.n_features_in_)
        background = None if X is None else np.asarray(X, dtype=np.float64).mean(0)
        display = cls(ranking=FeatureTable.of(estimator), grid=grid, background=background)
        return display.plot(most=most, ax=ax)

    def plot(self, *, most: int = MOST, ax: Axes | Any = None) -> Self:
        """Draw the display, for example on other Axes."""
        if self.grid is None:
            size = selection_size(self.ranking, most)
            panels = panels_for(ax, size, (1, 2), width_ratios=(5, 2), sharey=True)
            self.ax_ = panels[0]
            self.figure_ = plot_selection(self.ranking, most=most, axes=tuple(self.ax_))
            return self
        self.ax_ = panels_for(ax, (4.6, 4.8))[0, 0]
        self.figure_ = plot_grid_selection(
            self.ranking.indices[: self.ranking.n_selected],
            self.grid,
            self._background(),
            axes=self.ax_,
        )
        n_pixels = len(self.ranking.names)
        style.set_title(self.ax_, f"{self.ranking.n_selected} of {n_pixels} pixels are selected")
        return self

    def _background(self) -> NDArray[Any]:
        if self.background is not None:
            return self.background
        probability = np.empty(len(self.ranking.names))
        probability[self.ranking.indices] = self.ranking.probability
        return probability
