"""Suggest subtracting the means of groups if they hide differences within the groups."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from ipcae.arrays import Floats
from ipcae.cli.messages import Messages
from ipcae.tables.dependence.between_groups import classes_of, codes_of, share_between

_MOSTLY = 0.5  # of the variance
_FEWEST_ROWS = 3  # per group, on average


def warn_of_differences_between_groups(
    groups: pd.Series, columns: Floats, y: Any, messages: Messages
) -> None:
    """Warn if most columns differ between groups, such as people, and the target within them.

    >>> random = np.random.default_rng(0)
    >>> person = pd.Series(np.arange(120) // 10, name="person")
    >>> values = 2 * random.normal(size=(12, 5))[person] + random.normal(size=(120, 5))
    >>> messages = Messages(quiet=True)
    >>> warn_of_differences_between_groups(person, values, np.arange(120) % 2, messages)
    >>> messages.warnings[0].split(",")[0]
    'most columns differ more between the groups of "person" than within them'
    """
    codes, values = pd.factorize(groups)
    if np.ndim(y) != 1 or (codes < 0).any() or not 1 < len(values) <= len(codes) / _FEWEST_ROWS:
        return
    target = share_between(classes_of(codes_of(np.asarray(y))), codes).max()
    if target < _MOSTLY < np.median(share_between(columns, codes)):
        messages.warn(
            f'most columns differ more between the groups of "{groups.name}" than within them, '
            f'unlike the target: differences from the mean of each "{groups.name}" may predict it '
            "better, if new groups will also have several rows."
        )
