"""A display of the selections of all runs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import ListedColormap

from ipcae.arrays import Booleans
from ipcae.errors import InputError
from ipcae.feature_table import FeatureTable
from ipcae.plots import style
from ipcae.plots.panels import OneAxesDisplay, fitted_selector
from ipcae.plots.selection import MOST
from ipcae.plots.style import label

_MOST_NAMED_RUNS = 24


@dataclass(kw_only=True, eq=False, repr=False)
class RunsDisplay(OneAxesDisplay):
    """The selections of all runs, as a matrix of features (rows) and runs (columns).

    The best run, whose selection is used, comes first; the others are ordered by validation loss.
    Features are ordered by the number of runs that selected them. Create it with
    :meth:`from_estimator`.

    Parameters
    ----------
    selected : bool array of shape (R, F)
        Whether each run selected each feature; the best run first.
    runs : list of int
        Indices of the runs.
    names : list of str
        Names of the features.

    Attributes
    ----------
    overlap : float
        Mean Jaccard index |A ∩ B| / |A ∪ B| of pairs of runs; 1 if all selections are equal.
    ax_ : Axes
    figure_ : Figure

    See Also
    --------
    ipcae.plots.SelectionDisplay : Importance and probability of the features.
    ipcae.plots.StabilityDisplay : How often features are selected from other rows.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from ipcae import ClassificationSelector
    >>> from ipcae.plots import RunsDisplay
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> selector = ClassificationSelector(2, n_runs=3, max_epochs=5, random_state=0).fit(X, y)
    >>> RunsDisplay.from_estimator(selector).selected.shape[0]
    3
    """

    selected: Booleans
    runs: list[int]
    names: list[str]

    @property
    def overlap(self) -> float:
        """Mean Jaccard index of pairs of runs.

        >>> selected = np.array([[1, 1, 0], [1, 0, 1]], dtype=bool)
        >>> RunsDisplay(selected=selected, runs=[0, 1], names=list("abc")).overlap
        0.3333333333333333
        """
        both = self.selected.astype(np.int64) @ self.selected.T
        sizes = np.diag(both)
        jaccard = both / (sizes[:, None] + sizes - both)
        return float(jaccard[np.triu_indices(len(both), 1)].mean())

    @classmethod
    def from_estimator(cls, estimator: Any, *, most: int = MOST, ax: Axes | Any = None) -> Self:
        """Draw the selections of the runs of a fitted selector.

        Parameters
        ----------
        estimator : selector
            A selector fitted with ``n_runs`` of at least 2, or a search that fitted one.
        most : int
            Draw at most ``most`` features.
        ax : Axes, optional
            Axes to draw on; by default those of a new figure.
        """
        estimator = fitted_selector(estimator)
        loss = estimator.validation_loss_
        order = [int(run) for run in np.argsort(loss, kind="stable") if np.isfinite(loss[run])]
        best = estimator.best_run_
        order = [best, *(run for run in order if run != best)]
        if len(order) < 2:
            raise InputError(
                "The selector has one usable run: fit it with n_runs of at least 2, such as 5."
            )
        ranking = FeatureTable.of(estimator)
        selected = np.stack([estimator.selections_[run].support() for run in order])
        selected = selected[:, ranking.indices]
        n_times = selected.sum(0)
        by_agreement = np.argsort(-n_times, kind="stable")[: np.count_nonzero(n_times)]
        names = [ranking.names[i] for i in by_agreement]
        return cls(selected=selected[:, by_agreement], runs=order, names=names).plot(
            most=most, ax=ax
        )

    def plot(self, *, most: int = MOST, ax: Axes | Any = None) -> Self:
        """Draw the display, for example on other Axes."""
        n_runs, n_shown = len(self.runs), min(len(self.names), most)
        size = 3.2 + max(0.24 * n_runs, 2.4), 1.2 + max(0.23 * n_shown, 0.7)
        self._begin(ax, size)
        marks = self.selected[:, :n_shown].T.astype(np.int64)
        marks[:, 0] *= 2
        colors = ListedColormap(["#F3F4F6", style.BLUE, style.ORANGE])
        self.ax_.pcolormesh(marks, cmap=colors, vmin=0, vmax=2, edgecolors="white", linewidth=1.5)
        style.quiet_axes(self.ax_)
        self.ax_.tick_params(length=0)
        self._label(n_shown)
        n_all = int(self.selected.all(0).sum())
        n_selected = int(self.selected[0].sum())
        cut = f", {n_shown} shown" if n_shown < len(self.names) else ""
        style.set_title(
            self.ax_,
            f"All {n_runs} runs agree on {n_all} of {n_selected} features\n"
            f"Mean overlap {self.overlap:.0%}; {len(self.names)} selected by any run{cut}",
        )
        return self

    def _label(self, n_shown: int) -> None:
        n_runs = len(self.runs)
        places = np.arange(n_shown) + 0.5
        self.ax_.set_yticks(places, [label(name) for name in self.names[:n_shown]])
        self.ax_.set_ylim(n_shown, 0)
        for place, count in zip(places, self.selected.sum(0), strict=False):
            self.ax_.annotate(
                f"{count} of {n_runs}",
                (n_runs, place),
                xytext=(6, 0),
                textcoords="offset points",
                va="center",
                fontsize=style.TICK_SIZE,
                color=style.INK,
                annotation_clip=False,
            )
        shown = np.arange(0, n_runs, -(-n_runs // _MOST_NAMED_RUNS))
        self.ax_.set_xticks(shown + 0.5, [str(self.runs[i]) for i in shown])
        self.ax_.get_xticklabels()[0].set(color=style.ORANGE, fontweight="bold")
        style.label_axes(self.ax_, "run, ordered by validation loss (best first)")
        for spine in self.ax_.spines.values():
            spine.set_visible(False)
