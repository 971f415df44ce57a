"""How much of the distance to the best of several methods is luck?

The best of many methods on the test rows of a table is partly the luckiest one. Two figures tell
how much: the distance to a method that was chosen on other splits, and the largest distance that is
to be expected if no method is better.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from comparison.summary import Comparison

N_DRAWS = 2000
ASKED = 1.5
"""The largest distance that was asked for, in points."""


class Gap(NamedTuple):
    """The largest distance to the best method, and what luck contributes to it.

    Attributes
    ----------
    observed : float
        Difference from the best method, on the problem where it is largest.
    other_splits : float
        The same if the best method of every problem is chosen on half of the splits, and the
        difference is measured on the other half: mean over random halves.
    by_luck : float
        Expectation of ``observed`` if no method were better than this one on any problem.
    probability : float
        Probability of a larger distance than ``observed`` in that case.
    above_asked : float
        Probability of a larger distance than the one that was asked for in that case.
    """

    observed: float
    other_splits: float
    by_luck: float
    probability: float
    above_asked: float


def worst_gap(comparison: Comparison, method: str, seed: int = 0) -> Gap:
    """Return the largest distance of a method to the best, and what luck contributes to it."""
    own = comparison.values[comparison.methods.index(method)]
    ahead = comparison.values - own  # (methods, problems, splits)
    random = np.random.default_rng(seed)
    observed = float(ahead.mean(2).max())
    drawn = np.array([each.max() for each in without_advantage(ahead, random)])
    return Gap(
        -observed,
        -float(on_other_splits(ahead, random).max()),
        -float(drawn.mean()),
        float((drawn > observed).mean()),
        float((drawn > ASKED).mean()),
    )


def on_other_splits(ahead: NDArray[np.float64], random: np.random.Generator):
    """Return the advantage of the best method of half of the splits on the other half.

    Shape: (methods, problems, splits) -> (problems,).

    >>> on_other_splits(np.ones((2, 3, 4)), np.random.default_rng(0))
    array([1., 1., 1.])
    """
    n_problems, n_splits = ahead.shape[1:]
    total = np.zeros(n_problems)
    for _ in range(N_DRAWS):
        order = random.permutation(n_splits)
        chosen, judged = order[: n_splits // 2], order[n_splits // 2 :]
        best = ahead[:, :, chosen].mean(2).argmax(0)
        total += ahead[best, np.arange(n_problems)][:, judged].mean(1)
    return total / N_DRAWS


def without_advantage(ahead: NDArray[np.float64], random: np.random.Generator):
    """Yield mean advantages over splits drawn with replacement, if no method were better.

    Methods that are ahead on a problem are moved back to zero; those behind stay where they are,
    even if that is bad luck. The result is therefore rather too small than too large.
    Shape: (methods, problems, splits) -> (methods, problems).
    """
    means = ahead.mean(2, keepdims=True)
    moved = ahead - np.maximum(means, 0)
    n_problems, n_splits = ahead.shape[1:]
    # The spread of a mean of resampled values is too small by this factor.
    stretch = np.sqrt(n_splits / (n_splits - 1))
    centers = np.minimum(means, 0)[:, :, 0]
    for _ in range(N_DRAWS):
        splits = random.integers(0, n_splits, (n_problems, n_splits))
        drawn = np.take_along_axis(moved, splits[None].repeat(len(moved), 0), 2).mean(2)
        yield centers + stretch * (drawn - centers)
