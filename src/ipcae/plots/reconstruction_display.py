"""A display of the reconstruction quality."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from matplotlib.axes import Axes

from ipcae.arrays import Booleans, Floats, quotient
from ipcae.errors import InputError
from ipcae.feature_table import feature_names
from ipcae.grids import Grid, check_grid
from ipcae.plots import style
from ipcae.plots.grid import plot_montage
from ipcae.plots.panels import OneAxesDisplay, fitted_selector
from ipcae.plots.style import label
from ipcae.tables import read_rows


@dataclass(kw_only=True, eq=False, repr=False)
class ReconstructionDisplay(OneAxesDisplay):
    """R² of the reconstructed columns, worst first, or original and reconstructed images.

    Create it with :meth:`from_estimator`.

    Parameters
    ----------
    originals, restored : arrays of shape (N, D)
        The rows and their reconstructions.
    selected : bool array of shape (D,)
        Whether a column is selected.
    names : list of str
        Names of the columns.
    grid : tuple of int, optional
        Rows and columns of the image whose pixels are the columns.

    Attributes
    ----------
    explained : array of shape (D,)
        R² of every column on these rows, without missing values; NaN for constant columns.
    ax_ : Axes
    figure_ : Figure

    See Also
    --------
    ipcae.plots.SelectionDisplay : Importance and probability of the features.
    ipcae.plots.plot_reconstructions : Images and their reconstructions.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from ipcae import ReconstructionSelector
    >>> from ipcae.plots import ReconstructionDisplay
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> selector = ReconstructionSelector(2, max_epochs=5, random_state=0).fit(X)
    >>> ReconstructionDisplay.from_estimator(selector, X).explained.shape
    (4,)
    """

    originals: Floats
    restored: Floats
    selected: Booleans
    names: list[str]
    grid: Grid | None = None

    @property
    def explained(self) -> Floats:
        """R² of every column, of shape (D,)."""
        known = np.isfinite(self.originals)
        mean = self.originals.mean(0, where=known)
        residual = np.square(self.originals - self.restored).sum(0, where=known)
        total = np.square(self.originals - mean).sum(0, where=known)
        return 1 - quotient(residual, total, np.nan)

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: Any,
        *,
        grid: Grid | None = None,
        most: int = 30,
        ax: Axes | Any = None,
    ) -> Self:
        """Draw how well a fitted ReconstructionSelector reconstructs X.

        Parameters
        ----------
        estimator : ReconstructionSelector
            A fitted selector, or a search that fitted one, such as a SelectorCV.
        X : array or data frame of shape (n_rows, D)
            Rows to reconstruct, ideally rows not used in ``fit``. The columns of a data frame are
            found by name.
        grid : tuple of int, optional
            Draw rows as images with this number of rows and columns, in row-major order.
        most : int
            Draw at most ``most`` columns, or ``most // 3`` images, evenly spaced in X.
        ax : Axes, optional
            Axes to draw on; by default those of a new figure.
        """
        estimator = fitted_selector(estimator)
        if not hasattr(estimator, "reconstruct"):
            raise InputError(
                f"A {type(estimator).__name__} does not reconstruct columns: expected a "
                "ReconstructionSelector."
            )
        grid = check_grid(grid, estimator.n_features_in_)
        originals = read_rows(estimator, X).cpu().double().numpy()
        restored = estimator.reconstruct(X)
        if restored.dtype == object:
            raise InputError("Columns of categories cannot be drawn: expected columns of numbers.")
        display = cls(
            originals=originals,
            restored=restored,
            selected=estimator.get_support(),
            names=feature_names(estimator),
            grid=grid,
        )
        return display.plot(most=most, ax=ax)

    def plot(self, *, most: int = 30, ax: Axes | Any = None) -> Self:
        """Draw the display, for example on other Axes."""
        if self.grid is None:
            self._plot_columns(most, ax)
        else:
            self._plot_images(self.grid, max(most // 3, 1), ax)
        return self

    def _plot_columns(self, most: int, ax: Any) -> None:
        explained = self.explained
        others = np.flatnonzero(~self.selected & np.isfinite(explained))
        worst = others[np.argsort(explained[others], kind="stable")][:most]
        self._begin(ax, (6.4, 1.3 + max(0.23 * len(worst), 0.7)))
        places = np.arange(len(worst))
        style.quiet_axes(self.ax_, grid="x")
        # Clip negative R², which would stretch the axis for all other columns.
        shown = np.clip(explained[worst], -0.05, 1)
        colors = [style.BLUE if value >= 0 else style.ORANGE for value in explained[worst]]
        self.ax_.barh(places, shown, height=0.68, color=colors)
        for place, value in zip(places, explained[worst], strict=True):
            self.ax_.annotate(
                f"{value:.2f}".replace("-", "−"),
                (max(float(np.clip(value, 0, 1)), 0.0), place),
                xytext=(4, 0),
                textcoords="offset points",
                va="center",
                fontsize=style.TICK_SIZE - 1,
                color=style.INK,
            )
        self.ax_.set_yticks(places, [label(self.names[i]) for i in worst])
        self.ax_.set_ylim(max(len(worst), 1) - 0.4, -0.6)
        self.ax_.set_xlim(min(0.0, float(shown.min(initial=0))), 1.08)
        self.ax_.tick_params(axis="y", length=0)
        style.label_axes(self.ax_, "explained variance (R²)")
        cut = f" ({len(worst)} worst shown)" if len(worst) < len(others) else ""
        n_selected = int(self.selected.sum())
        style.set_title(
            self.ax_, f"{len(others)} columns reconstructed from {n_selected} others{cut}"
        )

    def _plot_images(self, grid: Grid, n_images: int, ax: Any) -> None:
        n_images = min(n_images, len(self.originals))
        rows = np.linspace(0, len(self.originals) - 1, n_images).round().astype(np.int64)
        width = 0.9 * n_images + 0.9
        self._begin(ax, (width, 2.7 * grid[0] / grid[1] + 0.6))
        plot_montage(self.ax_, self.originals[rows], self.restored[rows], self.selected, grid)
        residual = np.square(self.originals - self.restored).sum()
        total = np.square(self.originals - self.originals.mean(0)).sum()
        style.set_title(
            self.ax_,
            f"{1 - residual / total:.0%} of the variance explained by "
            f"{int(self.selected.sum())} of {len(self.selected)} pixels",
        )
