"""Refits to permuted targets, for results that the widened null distribution leaves open."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from ipcae.evaluation.association import INFLATION
from ipcae.evaluation.chance import ChanceTest, p_value

Order = NDArray[np.int64]


def is_unclear(test: ChanceTest) -> bool:
    """Return whether a result is better than chance only if the null distribution is not widened.

    >>> null = np.random.default_rng(0).normal(size=2000)
    >>> def unclear(z):
    ...     return is_unclear(ChanceTest(p_value(z, null), z, 0.6, "r2", 5, 80, null=null))
    >>> unclear(0.5), unclear(1.4), unclear(1.8)
    (False, True, False)
    """
    if test.n_groups is not None or test.better:
        return False
    return p_value(math.sqrt(INFLATION) * test.statistic, test.null) <= 2 * test.level


def decide_by_refits(
    test: ChanceTest, statistic: Callable[[Order], float], random: np.random.Generator
) -> ChanceTest:
    """Return the test with the p-value of refits to permuted targets.

    At a level of 0.05, there are at most 33, and none after the first whose statistic is at least
    as large as that of the true targets (Besag and Clifford, 1991). The p-value without such a
    refit is 0.029, not 0.05, because a result may also be better than chance without refits.

    ``statistic`` refits the selector to the targets in another order of the rows.

    >>> test = ChanceTest(0.06, 1.6, 0.6, "r2", 5, 80)
    >>> decide_by_refits(test, lambda order: 0.0, np.random.default_rng(0)).p_text
    'p = 0.029'
    >>> decide_by_refits(test, lambda order: 2.0, np.random.default_rng(0)).n_refits
    1
    """
    most = math.ceil(5 / 3 / test.level) - 1
    for n_refits in range(1, most + 1):
        if statistic(random.permutation(test.n_rows)) >= test.statistic - 1e-12:
            p = max(1 / n_refits, test.p_value)  # not better than chance, as without refits
            return replace(test, p_value=p, n_refits=n_refits)
    return replace(test, p_value=1 / (most + 1), n_refits=most)
