"""A display of how often features are selected from subsamples of the rows."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from ipcae.errors import InputError
from ipcae.feature_table import feature_names
from ipcae.plots import style
from ipcae.plots.labels import label
from ipcae.plots.panels import panels_for
from ipcae.plots.selection import MOST


class StabilityDisplay:
    """How often features are selected from subsamples of the rows.

    The bars of the consensus are colored; a dashed line marks the threshold. Create it with
    :meth:`from_estimator`.

    Parameters
    ----------
    frequency : array of shape (F,)
        Fraction of the subsamples from which each feature was selected, best first.
    names : list of str
    consensus : bool array of shape (F,)
        Whether a feature belongs to the consensus.
    threshold : float
    title : str

    Attributes
    ----------
    ax_ : Axes
    figure_ : Figure
    """

    ax_: Axes
    figure_: Figure

    def __init__(
        self,
        *,
        frequency: NDArray[np.float64],
        names: list[str],
        consensus: NDArray[np.bool_],
        threshold: float,
        title: str = "",
    ):
        self.frequency = frequency
        self.names = names
        self.consensus = consensus
        self.threshold = threshold
        self.title = title

    @classmethod
    def from_estimator(cls, estimator: Any, *, most: int = MOST, ax: Axes | Any = None) -> Self:
        """Draw the frequencies of a fitted :class:`ipcae.StabilitySelection`.

        Parameters
        ----------
        estimator : StabilitySelection
        most : int
            Draw at most ``most`` features.
        ax : Axes, optional
            Axes to draw on; by default those of a new figure.
        """
        if not hasattr(estimator, "n_subsamples"):
            raise InputError(
                f"estimator is a {type(estimator).__name__}: expected a StabilitySelection."
            )
        check_is_fitted(estimator)
        member = np.isin(np.arange(len(estimator.frequency_)), estimator.consensus_)
        order = np.lexsort((~member, -estimator.frequency_))
        order = order[estimator.frequency_[order] > 0][:most]
        names = feature_names(estimator)
        n_stable = int(estimator.stable_.sum())
        return cls(
            frequency=estimator.frequency_[order],
            names=[names[i] for i in order],
            consensus=member[order],
            threshold=estimator.threshold,
            title=f"{n_stable} features are selected from at least "
            f"{estimator.threshold:.0%} of {len(estimator.selected_)} subsamples\n"
            f"Stability {estimator.stability_}",
        ).plot(ax=ax)

    def plot(self, *, ax: Axes | Any = None) -> Self:
        """Draw the display, for example on other Axes."""
        n_shown = len(self.names)
        self.ax_ = panels_for(ax, (7.0, 1.3 + max(0.23 * n_shown, 0.7)))[0, 0]
        self.figure_ = style.figure_of(self.ax_)
        style.quiet_axes(self.ax_, grid="x")
        colors = np.where(self.consensus, style.BLUE, style.PALE).tolist()
        places = np.arange(n_shown)
        self.ax_.barh(places, self.frequency, color=colors, height=0.7)
        self.ax_.axvline(self.threshold, color=style.ORANGE, linestyle="--", linewidth=1.2)
        self.ax_.set_yticks(places, [label(name) for name in self.names])
        self.ax_.set_ylim(n_shown - 0.4, -0.6)
        self.ax_.set_xlim(0, 1.02)
        self.ax_.set_xlabel(
            "fraction of the subsamples (blue: consensus)",
            fontsize=style.LABEL_SIZE,
            color=style.INK,
        )
        style.set_title(self.ax_, self.title)
        return self
