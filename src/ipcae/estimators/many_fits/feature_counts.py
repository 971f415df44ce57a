"""The numbers of features that a cross-validation compares."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ipcae.constraints import Constraints, require_feasible
from ipcae.errors import InputError, invalid_argument
from ipcae.estimators.one_fit.arguments import is_auto
from ipcae.tables.selection_size import count_to_select

_SERIES = (1, 2, 5, 10, 20, 50, 100)


def auto_counts(n_features: int) -> list[int]:
    """Return 1, 2, 5, 10, 20, 50 and 100, up to the number of features.

    >>> auto_counts(30), auto_counts(20_000)
    ([1, 2, 5, 10, 20, 30], [1, 2, 5, 10, 20, 50, 100])
    """
    counts = [count for count in _SERIES if count < n_features]
    return [*counts, n_features] if n_features <= _SERIES[-1] else counts


def counts_between(lower: int, upper: int) -> list[int]:
    """Return up to two numbers between two others, whose ratios are about equal.

    >>> counts_between(2, 5), counts_between(20, 50), counts_between(1, 2)
    ([3, 4], [27, 37], [])
    """
    ratio = upper / lower
    numbers = {round(lower * ratio ** (part / 3)) for part in (1, 2)}
    return sorted(numbers - {lower, upper})


def counts_for(n_features_to_select: Any, constraints: Constraints) -> list[int]:
    """Return the numbers of features to compare, in ascending order.

    >>> counts_for([0.5, 2, 3], Constraints(6))
    [2, 3]
    """
    given, n_features = n_features_to_select, constraints.n_features
    if is_auto(given):
        least = max(len(constraints.included_units), 1)
        most = len(constraints.included_units) + len(constraints.candidates)
        return sorted({max(count, least) for count in auto_counts(most)})
    if isinstance(given, str) or given is None:
        raise invalid_argument(
            "n_features_to_select",
            given,
            "the numbers of features to compare, such as [5, 10, 20], or 'auto'",
        )
    items = list(given) if isinstance(given, Iterable) else [given]
    if not items:
        raise InputError("n_features_to_select is empty: expected at least one number.")
    counts = sorted({count_to_select(item, n_features) for item in items})
    for count in counts:
        require_feasible(constraints, count)
    return counts
