"""K, the number of features to select, from a count or a fraction."""

from __future__ import annotations

from typing import Any

import numpy as np

from ipcae.errors import InputError


def count_to_select(n_features_to_select: Any, n_features: int) -> int:
    """Turn a count, a fraction or None (half) into K, the number of features.

    >>> count_to_select(0.25, 8), count_to_select(3, 8), count_to_select(None, 8)
    (2, 3, 4)
    """
    wanted = n_features_to_select
    if wanted is None:
        return max(n_features // 2, 1)
    if isinstance(wanted, bool | np.bool_) or not isinstance(wanted, int | float | np.number):
        advice = ""
        if isinstance(wanted, str) and wanted == "auto":
            advice = " SelectorCV finds it by cross-validation."
        raise InputError(
            f"n_features_to_select={wanted!r} is not a number: expected a count, such as 20, "
            f"or a fraction, such as 0.1.{advice}"
        )
    if isinstance(wanted, float | np.floating):
        if not 0 < wanted <= 1:
            raise InputError(
                f"n_features_to_select={wanted!r} is not a fraction: expected more than 0 and at "
                f"most 1, or an integer from 1 to {n_features}."
            )
        return max(round(wanted * n_features), 1)
    if wanted < 1:
        raise InputError(
            f"n_features_to_select={wanted} is too few: choose from 1 to {n_features}."
        )
    if wanted > n_features:
        raise InputError(
            f"n_features_to_select={wanted} is more than the {n_features} features of X: "
            f"choose from 1 to {n_features}."
        )
    return int(wanted)
