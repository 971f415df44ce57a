"""A display of how often features are selected from subsamples of the rows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from sklearn.utils.validation import check_is_fitted

from ipcae.arrays import Booleans, Floats
from ipcae.errors import InputError
from ipcae.evaluation import RowStability
from ipcae.feature_table import feature_names
from ipcae.plots import style
from ipcae.plots.panels import OneAxesDisplay
from ipcae.plots.selection import MOST
from ipcae.plots.style import label


@dataclass(kw_only=True, eq=False, repr=False)
class StabilityDisplay(OneAxesDisplay):
    """How often features are selected from subsamples of the rows.

    The bars of the consensus are colored; a dashed line marks the threshold. Create it with
    :meth:`from_estimator`.

    Parameters
    ----------
    frequency : array of shape (F,)
        Fraction of the subsamples from which each feature was selected, best first.
    names : list of str
        Names of these features.
    consensus : bool array of shape (F,)
        Whether a feature belongs to the consensus.
    threshold : float
        Frequency from which on a feature is stable.
    title : str, default=""
        Title of the axes.

    Attributes
    ----------
    ax_ : Axes
    figure_ : Figure

    See Also
    --------
    StabilitySelection : How often features are selected from other rows.
    ipcae.plots.RunsDisplay : The selections of all runs.
    ipcae.plots.plot_stability : The frequencies as a figure.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from ipcae import ClassificationSelector, StabilitySelection
    >>> from ipcae.plots import StabilityDisplay
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> selector = ClassificationSelector(2, method="anova", max_epochs=2, random_state=0)
    >>> stability = StabilitySelection(selector, n_subsamples=10).fit(X, y)
    >>> StabilityDisplay.from_estimator(stability).frequency.shape
    (2,)
    """

    frequency: Floats
    names: list[str]
    consensus: Booleans
    threshold: float
    title: str = ""

    @classmethod
    def from_estimator(cls, estimator: Any, *, most: int = MOST, ax: Axes | Any = None) -> Self:
        """Draw the frequencies of a fitted :class:`ipcae.StabilitySelection`.

        Parameters
        ----------
        estimator : StabilitySelection or selector
            A fitted object, or the selector that it fitted.
        most : int
            Draw at most ``most`` features.
        ax : Axes, optional
            Axes to draw on; by default those of a new figure.
        """
        check_is_fitted(estimator)
        rows = getattr(estimator, "rows_", None) or getattr(estimator, "row_stability_", None)
        if rows is None:
            raise InputError(
                f"estimator is a {type(estimator).__name__}: expected a StabilitySelection."
            )
        return cls.of_rows(rows, feature_names(estimator), most).plot(ax=ax)

    @classmethod
    def of_rows(cls, rows: RowStability, names: list[str], most: int = MOST) -> Self:
        """Return the display, not yet drawn, of the result for features with these names."""
        member = np.isin(np.arange(len(names)), rows.consensus)
        order = np.lexsort((~member, -rows.frequency))
        order = order[rows.frequency[order] > 0][:most]
        n_stable = rows.n_stable
        features = f"{n_stable} feature{' is' if n_stable == 1 else 's are'}"
        return cls(
            frequency=rows.frequency[order],
            names=[names[i] for i in order],
            consensus=member[order],
            threshold=rows.threshold,
            title=f"{features} selected from at least {rows.threshold:.0%} of "
            f"{rows.n_subsamples} subsamples\nStability {rows.stability}",
        )

    @property
    def size(self) -> tuple[float, float]:
        """Width and height of a figure for all names, in inches."""
        return 7.0, 1.3 + max(0.23 * len(self.names), 0.7)

    def plot(self, *, ax: Axes | Any = None) -> Self:
        """Draw the display, for example on other Axes."""
        n_shown = len(self.names)
        self._begin(ax, self.size)
        style.quiet_axes(self.ax_, grid="x")
        colors = np.where(self.consensus, style.BLUE, style.PALE).tolist()
        places = np.arange(n_shown)
        self.ax_.barh(places, self.frequency, color=colors, height=0.7)
        self.ax_.axvline(self.threshold, color=style.ORANGE, linestyle="--", linewidth=1.2)
        self.ax_.set_yticks(places, [label(name) for name in self.names])
        self.ax_.set_ylim(n_shown - 0.4, -0.6)
        self.ax_.set_xlim(0, 1.02)
        style.label_axes(self.ax_, "fraction of the subsamples (blue: consensus)")
        style.set_title(self.ax_, self.title)
        return self


def plot_stability(rows: RowStability, names: list[str], *, most: int = MOST) -> Figure:
    """Return a figure of how often features are selected from subsamples of the rows.

    Parameters
    ----------
    rows : RowStability
        The ``rows_`` of a :class:`ipcae.StabilitySelection`.
    names : list of str
        Names of all features.
    most : int, default=40
        Maximum number of features to show.

    See Also
    --------
    ipcae.plots.StabilityDisplay : How often features are selected from other rows.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from ipcae import ClassificationSelector, StabilitySelection
    >>> from ipcae.plots import plot_stability
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> selector = ClassificationSelector(2, method="anova", max_epochs=2, random_state=0)
    >>> rows = StabilitySelection(selector, n_subsamples=10, refit=False).fit(X, y).rows_
    >>> len(plot_stability(rows, list(X.columns)).axes)
    1
    """
    display = StabilityDisplay.of_rows(rows, names, most)
    figure = style.new_figure(*display.size)
    return display.plot(ax=figure.add_subplot()).figure_
