"""The selector that a display is about."""

from __future__ import annotations

from typing import Any

from sklearn.utils.validation import check_is_fitted

from ipcae.errors import InputError


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
