"""A display of the score by the number of features."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from matplotlib.axes import Axes
from matplotlib.ticker import FixedLocator, NullLocator, StrMethodFormatter

from ipcae.arrays import Floats, Integers
from ipcae.errors import InputError
from ipcae.evaluation.folds import split_scores, standard_errors
from ipcae.plots import style
from ipcae.plots.panels import OneAxesDisplay


@dataclass(kw_only=True, eq=False, repr=False)
class PathDisplay(OneAxesDisplay):
    """The cross-validated score by the number of features, with the chosen number.

    Points are means over the folds, error bars their standard errors, pale lines the folds.
    Create it with :meth:`from_estimator`.

    Parameters
    ----------
    counts : array of shape (K,)
        Numbers of features.
    scores : array of shape (F, K)
        Score of every fold.
    chosen : int, optional
        The chosen number of features.
    name : str, default="score"
        Name of the score.

    Attributes
    ----------
    ax_ : Axes
    figure_ : Figure

    See Also
    --------
    SelectorCV : Choose the number of features by cross-validation.
    ipcae.plots.StabilityDisplay : How often features are selected from other rows.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from ipcae import ClassificationSelector, SelectorCV
    >>> from ipcae.plots import PathDisplay
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> selector = ClassificationSelector(method="anova", max_epochs=2, random_state=0)
    >>> search = SelectorCV(selector, n_features_to_select=[1, 2], cv=2).fit(X, y)
    >>> PathDisplay.from_estimator(search).counts
    array([1, 2])
    """

    counts: Integers
    scores: Floats
    chosen: int | None = None
    name: str = "score"

    @classmethod
    def from_estimator(cls, estimator: Any, *, name: str = "score", ax: Axes | Any = None) -> Self:
        """Draw the scores of a fitted :class:`ipcae.SelectorCV`.

        Parameters
        ----------
        estimator : SelectorCV or selector
            A fitted search, or the selector that it fitted.
        name : str
            Name of the score, if there are several.
        ax : Axes, optional
            Axes to draw on; by default those of a new figure.
        """
        results = getattr(estimator, "cv_results_", None)
        if results is None:
            raise InputError(
                f"{type(estimator).__name__} was not cross-validated: expected a fitted SelectorCV."
            )
        scores = split_scores(results, name)
        if not len(scores):
            raise InputError(f"There is no score {name!r}: expected the name of one of the scores.")
        chosen = getattr(estimator, "n_features_", None) or int(estimator.get_support().sum())
        return cls(counts=results["n_features"], scores=scores, chosen=chosen, name=name).plot(
            ax=ax
        )

    def plot(self, *, ax: Axes | Any = None) -> Self:
        """Draw the display, for example on other Axes."""
        self._begin(ax, (6.4, 4.0))
        style.quiet_axes(self.ax_, grid="y")
        mean, error = self.scores.mean(0), standard_errors(self.scores)
        for fold in self.scores:
            self.ax_.plot(self.counts, fold, color=style.PALE, linewidth=0.8, zorder=1)
        self.ax_.errorbar(
            self.counts, mean, error, color=style.BLUE, marker="o", capsize=3, linewidth=1.6
        )
        self._mark_chosen(mean, error)
        self._label(len(self.scores))
        return self

    def _mark_chosen(self, mean: Floats, error: Floats) -> None:
        best = int(np.nan_to_num(mean, nan=-np.inf).argmax())
        self.ax_.axhline(mean[best] - error[best], color=style.PALE, linestyle="--", linewidth=1)
        if self.chosen is None or self.chosen not in self.counts:
            return
        index = int(np.flatnonzero(self.counts == self.chosen)[0])
        marked = self.chosen, mean[index]
        self.ax_.plot(*marked, "o", color=style.ORANGE, markersize=9, zorder=3)
        style.set_title(
            self.ax_,
            f"{self.chosen} features are chosen: {mean[index]:.3g} ± {error[index]:.2g}",
        )

    def _label(self, n_folds: int) -> None:
        self.ax_.set_xscale("log" if self.counts.max() > 10 * self.counts.min() else "linear")
        self.ax_.xaxis.set_major_locator(FixedLocator(self.counts.tolist()))
        self.ax_.xaxis.set_minor_locator(NullLocator())
        self.ax_.xaxis.set_major_formatter(StrMethodFormatter("{x:.0f}"))
        score = f"{self.name} (mean of {n_folds} folds, standard error)"
        style.label_axes(self.ax_, "number of features", score)
