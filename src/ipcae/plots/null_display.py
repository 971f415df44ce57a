"""A display of a result and its null distribution."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

from matplotlib.axes import Axes

from ipcae.errors import invalid_argument
from ipcae.evaluation import ChanceTest
from ipcae.plots import style
from ipcae.plots.panels import OneAxesDisplay


@dataclass(kw_only=True, eq=False, repr=False)
class NullDisplay(OneAxesDisplay):
    """The association of out-of-fold predictions with the target, and with permuted targets.

    Create it with :meth:`from_estimator`, or from the result of :func:`ipcae.chance_test`.

    Parameters
    ----------
    test : ChanceTest
        The result of :func:`ipcae.chance_test`.

    Attributes
    ----------
    ax_ : Axes
    figure_ : Figure

    See Also
    --------
    chance_test : Test whether a selection is better than chance.

    Examples
    --------
    >>> import numpy as np
    >>> from ipcae import RegressionSelector, chance_test
    >>> from ipcae.plots import NullDisplay
    >>> X = np.random.default_rng(0).normal(size=(40, 5))
    >>> selector = RegressionSelector(2, method="lasso", max_epochs=5, random_state=0)
    >>> display = NullDisplay(test=chance_test(selector, X, X[:, 0] + X[:, 1])).plot()
    >>> display.ax_.get_title(loc="left").startswith("Better than chance (p")
    True
    """

    test: ChanceTest

    @classmethod
    def from_estimator(
        cls, estimator: Any, X: Any, y: Any = None, *, ax: Axes | Any = None, **options: Any
    ) -> Self:
        """Test a selector against chance and draw the result.

        Parameters
        ----------
        estimator : selector or SelectorCV
        X, y :
            As for :func:`ipcae.chance_test`.
        ax : Axes, optional
            Axes to draw on; by default those of a new figure.
        options :
            Further arguments of :func:`ipcae.chance_test`.
        """
        if not hasattr(estimator, "chance_test"):
            raise invalid_argument("estimator", estimator, "a selector, or a SelectorCV")
        return cls(test=estimator.chance_test(X, y, **options)).plot(ax=ax)

    def plot(self, *, ax: Axes | Any = None) -> Self:
        """Draw the display, for example on other Axes."""
        self._begin(ax, (5.6, 3.2))
        test = self.test
        style.quiet_axes(self.ax_)
        self.ax_.hist(test.null, bins=40, color=style.PALE, label="permuted targets")
        color = style.BLUE if test.better else style.ORANGE
        self.ax_.axvline(test.statistic, color=color, linewidth=2, label="observed")
        self.ax_.set_yticks([])
        self.ax_.spines["left"].set_visible(False)
        style.label_axes(self.ax_, "association with the target (standard deviations)")
        self.ax_.legend(fontsize=style.TICK_SIZE, frameon=False, labelcolor=style.INK)
        style.set_title(self.ax_, f"{test.headline} ({test.p_text})")
        return self
