"""A display of the training curves."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Self

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from ipcae.plots.panels import fitted_selector, panels_for
from ipcae.plots.training import has_nodes, plot_training
from ipcae.training.states.history import HistoryColumns


@dataclass(kw_only=True, eq=False, repr=False)
class TrainingDisplay:
    """Validation loss and unique percentage of every run by epoch.

    Create it with :meth:`from_estimator`.

    Parameters
    ----------
    history : mapping of arrays
        ``history_`` of a selector; the columns run, epoch, metric and value are used.
    best_run : int, default=0
        The run to highlight.

    Attributes
    ----------
    ax_ : array of two Axes
        Axes for the loss and the percentage.
    figure_ : Figure

    See Also
    --------
    ipcae.plots.SelectionDisplay : Importance and probability of the features.
    ipcae.plots.RunsDisplay : The selections of all runs.
    ipcae.plots.plot_training : The curves as a figure.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from ipcae import ClassificationSelector
    >>> from ipcae.plots import TrainingDisplay
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> selector = ClassificationSelector(2, method="ip-cae", max_epochs=5).fit(X, y)
    >>> [panel.get_ylabel() for panel in TrainingDisplay.from_estimator(selector).ax_]
    ['validation loss', 'unique features (%)']
    """

    history: HistoryColumns
    best_run: int = 0
    ax_: Any = field(init=False)
    figure_: Figure = field(init=False)

    @classmethod
    def from_estimator(cls, estimator: Any, *, ax: Axes | Any = None) -> Self:
        """Draw the training curves of a fitted selector.

        Parameters
        ----------
        estimator : selector
            A fitted selector, or a search that fitted one, such as a SelectorCV.
        ax : Axes or two Axes, optional
            Axes to draw on; by default those of a new figure.
        """
        estimator = fitted_selector(estimator)
        return cls(history=estimator.history_, best_run=estimator.best_run_).plot(ax=ax)

    def plot(self, *, ax: Axes | Any = None) -> Self:
        """Draw the display, for example on other Axes."""
        if has_nodes(self.history) or not (ax is None or isinstance(ax, Axes)):
            panels = panels_for(ax, (7.2, 5.4), (2, 1), height_ratios=(3, 2), sharex=True)
        else:
            panels = panels_for(ax, (7.2, 3.6), (1, 1))
        self.ax_ = panels[:, 0]
        self.figure_ = plot_training(self.history, self.best_run, axes=tuple(self.ax_))
        return self
