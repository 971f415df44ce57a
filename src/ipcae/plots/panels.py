"""What displays draw: the selector that was fitted, on new, given or subdivided Axes."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from ipcae.errors import InputError, invalid_argument
from ipcae.plots import style


def fitted_selector(estimator: Any) -> Any:
    """Return a fitted selector, or the one that a search, such as SelectorCV, has fitted."""
    check_is_fitted(estimator)
    while hasattr(estimator, "selector_"):
        estimator = estimator.selector_
    if not hasattr(estimator, "selections_"):
        raise InputError(
            f"estimator is a {type(estimator).__name__}: expected a fitted selector of ipcae, such "
            "as a ClassificationSelector. Of a pipeline, pass the step."
        )
    return estimator


def panels_for(
    ax: Any,
    size: tuple[float, float],
    shape: tuple[int, int] = (1, 1),
    *,
    width_ratios: tuple[float, ...] | None = None,
    height_ratios: tuple[float, ...] | None = None,
    sharex: bool = False,
    sharey: bool = False,
) -> NDArray[Any]:
    """Return an array of Axes of the given shape; if several are needed, a single one is divided.

    Without ``ax``, a figure of ``size`` in inches is created with pyplot, for notebooks and
    ``pyplot.show``.
    """
    ratios: Any = {"width_ratios": width_ratios, "height_ratios": height_ratios}
    shared: Any = {"sharex": sharex, "sharey": sharey, "squeeze": False}
    if ax is None:
        pyplot = import_module("matplotlib.pyplot")
        figure = pyplot.figure(figsize=size, layout=style.new_layout(), facecolor="white")
        panels: NDArray[Any] = figure.subplots(*shape, **shared, **ratios)
        return panels
    given = np.array([ax] if isinstance(ax, Axes) else ax, dtype=object).ravel()
    if not all(isinstance(panel, Axes) for panel in given):
        raise invalid_argument("ax", ax, "matplotlib Axes, or None")
    if len(given) == shape[0] * shape[1]:
        return given.reshape(shape)
    place = given[0].get_subplotspec()
    if len(given) > 1 or place is None:
        raise InputError(
            f"ax contains {len(given)} Axes for {shape[0]} × {shape[1]} panels: expected as many, "
            "or one created by pyplot.subplots, which is subdivided."
        )
    given[0].set_axis_off()
    divided: NDArray[Any] = place.subgridspec(*shape, **ratios).subplots(**shared)
    return divided


class OneAxesDisplay:
    """Base class of the displays that are drawn on one Axes."""

    ax_: Axes
    figure_: Figure

    def _begin(self, ax: Any, size: tuple[float, float]) -> None:
        """Set the Axes to draw on; ``size`` is that of a new figure, in inches."""
        self.ax_ = panels_for(ax, size)[0, 0]
        self.figure_ = style.figure_of(self.ax_)
