"""Labels that are no features, such as dates or codes, whose rows count as far fewer rows."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
import pandas as pd

from ipcae.arrays import Floats
from ipcae.tables.dependence.between_groups import (
    classes_of,
    codes_of,
    given_target,
    share_between,
    share_by_chance,
    spaced_columns,
)

_FEWEST_GROUPS = 5
_LEAST = 1.5  # times the variance of independent rows
_MOST_VALUES = 20_000_000


def label_of_clusters(labels: Iterable[pd.Series], columns: Floats, y: Any = None) -> str | None:
    """Return a label of which rows of the same value are alike, in the target and in a column.

    The variance of their association is that of independent rows times the design effect
    1 + (m − 1) ρ ρ′, with m rows per value, and the shares ρ and ρ′ of the variance of the target
    and of a column that are between values. Without a target, two columns are compared.

    >>> random = np.random.default_rng(0)
    >>> day = pd.Series(np.arange(300) // 10, name="day")
    >>> rain, demand = random.normal(size=(2, 30))[:, day]
    >>> values = np.stack([rain, random.normal(size=300)], axis=1)
    >>> label_of_clusters([day], values, demand + random.normal(size=300))
    'day'
    >>> label_of_clusters([day], values, random.normal(size=300)) is None
    True
    """
    from scipy.stats import rankdata  # ranks, because a single extreme value is no sign

    some = spaced_columns(columns)
    if not 0 < some.size <= _MOST_VALUES or (y is not None and np.ndim(y) != 1):
        return None
    codes = None if y is None else codes_of(np.asarray(y))
    rest: Floats | None = None
    for label in labels:
        try:
            groups, values = pd.factorize(label)
        except TypeError:  # lists or the like
            continue
        n_rows, n_groups = len(groups), len(values)
        if (groups < 0).any() or not _FEWEST_GROUPS <= n_groups < n_rows:
            continue
        enough = share_by_chance(n_rows, n_groups)
        own = 1.0 if codes is None else share_between(classes_of(codes), groups).max()
        if own <= enough:
            continue
        if rest is None:
            rest = rankdata(
                given_target(some, np.zeros(n_rows) if codes is None else codes), axis=0
            )
        shares = np.sort(share_between(rest, groups))[::-1]
        own, share = shares[:2] if codes is None and len(shares) > 1 else (own, shares[0])
        if min(own, share) > enough and 1 + (n_rows / n_groups - 1) * own * share >= _LEAST:
            return str(label.name)
    return None
