"""The concordance index of predicted risks and times that may be censored."""

from __future__ import annotations

import numpy as np

from ipcae.arrays import Booleans, Floats, quotient


def concordance(
    time: Floats,
    event: Booleans,
    risk: Floats,
    *,
    weights: Floats | None = None,
    event_weights: Floats | None = None,
) -> float:
    """Return the fraction of comparable pairs whose risks are ordered correctly.

    A pair is comparable if the row with the shorter time has an event; at equal times, an event is
    before a censoring. Pairs of equal risk count one half. Without any comparable pair, the result
    is NaN.

    Parameters
    ----------
    time, event, risk : arrays of shape (n_rows,)
    weights : array of shape (n_rows,), optional
        A pair has the product of the weights of its rows.
    event_weights : array of shape (n_rows,), optional
        Additional weights of the rows with events, such as inverse probabilities of censoring.

    Examples
    --------
    >>> time, event = np.array([1.0, 2.0, 3.0]), np.array([True, False, True])
    >>> concordance(time, event, risk=np.array([3.0, 1.0, 2.0]))
    1.0
    """
    weights = np.ones(len(time)) if weights is None else weights
    by_event = weights if event_weights is None else weights * event_weights
    values, rank = np.unique(risk, return_inverse=True)
    lower = _RunningSum(len(values))
    total = right = 0.0
    later = 0.0  # the weight of all rows with a longer time
    # From the longest time; at equal times first the censored rows, then the events.
    order = np.lexsort((event, -time)).tolist()
    start = 0
    while start < len(order):
        end = start + 1
        while end < len(order) and _tied(time, event, order[start], order[end]):
            end += 1
        group = order[start:end]
        if event[group[0]]:
            for row in group:
                below, up_to = lower.before(rank[row]), lower.before(rank[row] + 1)
                right += by_event[row] * (below + (up_to - below) / 2)
                total += by_event[row] * later
        for row in group:
            lower.add(rank[row], weights[row])
            later += weights[row]
        start = end
    return float(right / total) if total > 0 else float("nan")


def _tied(time: Floats, event: Booleans, first: int, second: int) -> bool:
    return bool(time[first] == time[second] and event[first] == event[second])


class _RunningSum:
    """Sums of the first numbers of an array that changes: a Fenwick tree."""

    def __init__(self, size: int):
        self.tree = [0.0] * (size + 1)

    def add(self, index: int, value: float) -> None:
        """Add a value to the number at an index."""
        index = int(index) + 1
        while index < len(self.tree):
            self.tree[index] += value
            index += index & -index

    def before(self, index: int) -> float:
        """Return the sum of the numbers before an index."""
        index, total = int(index), 0.0
        while index > 0:
            total += self.tree[index]
            index &= index - 1
        return total


def resampled_concordance(
    time: Floats,
    event: Booleans,
    risk: Floats,
    counts: Floats,
    *,
    event_weights: Floats | None = None,
) -> Floats:
    """Return :func:`concordance` for resamples of the rows, compared pair by pair.

    Shape: counts (B, N), how often a resample contains each row -> (B,).

    >>> time, event = np.array([1.0, 2.0, 3.0]), np.array([True, False, True])
    >>> risk, counts = np.array([1.0, 2.0, 0.0]), np.array([[1, 1, 1], [1, 0, 1]])
    >>> resampled_concordance(time, event, risk, counts)
    array([0.5, 1. ])
    """
    events = np.flatnonzero(event)
    right, total = np.zeros(len(counts)), np.zeros(len(counts))
    for rows in np.array_split(events, max(len(events) * len(time) // 2**22, 1)):
        own = counts[:, rows] if event_weights is None else counts[:, rows] * event_weights[rows]
        later = (time > time[rows, None]) | ((time == time[rows, None]) & ~event)
        won = later * ((risk < risk[rows, None]) + 0.5 * (risk == risk[rows, None]))
        right += (own * (counts @ won.T)).sum(1)
        total += (own * (counts @ later.T)).sum(1)
    return quotient(right, total, np.nan)
