"""Means, spreads, ranks and seconds of every method."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.stats import rankdata

from comparison.cells import Row


@dataclass(frozen=True)
class Comparison:
    """The values of methods on the problems and splits that all of them have.

    Shape: values (methods, problems, splits).
    """

    methods: list[str]
    problems: list[str]
    splits: list[str]
    values: NDArray[np.float64]
    seconds: NDArray[np.float64]

    @property
    def means(self) -> NDArray[np.float64]:
        """Mean of every method on every problem. Shape: (methods, problems)."""
        return self.values.mean(2)

    @property
    def overall(self) -> NDArray[np.float64]:
        """Mean of every method over all problems. Shape: (methods,)."""
        return self.means.mean(1)

    @property
    def spread(self) -> NDArray[np.float64]:
        """Standard deviation between splits of the mean over the problems. Shape: (methods,)."""
        by_split = self.values.mean(1)
        return by_split.std(1, ddof=1) if by_split.shape[1] > 1 else np.zeros(len(by_split))

    @property
    def mean_rank(self) -> NDArray[np.float64]:
        """Mean rank of every method over the problems, 1 for the best. Shape: (methods,)."""
        return np.array(rankdata(-self.means.round(6), axis=0).mean(1))

    @property
    def worst_gap(self) -> NDArray[np.float64]:
        """Difference to the best method, on the problem where it is largest. Shape: (methods,)."""
        return (self.means - self.means.max(0)).min(1)

    @property
    def gap_error(self) -> NDArray[np.float64]:
        """Paired standard error over the splits of :attr:`worst_gap`. Shape: (methods,)."""
        n_splits = len(self.splits)
        if n_splits < 2:
            return np.zeros(len(self.methods))
        worst = (self.means - self.means.max(0)).argmin(1)
        best = self.means.argmax(0)[worst]
        gaps = self.values[np.arange(len(worst)), worst] - self.values[best, worst]
        return gaps.std(1, ddof=1) / np.sqrt(n_splits)

    def ordered(self) -> Comparison:
        """Return the methods from the best to the worst mean rank; the mean breaks ties."""
        order = np.lexsort((-self.overall, self.mean_rank.round(6)))
        names = [self.methods[i] for i in order]
        return Comparison(
            names, self.problems, self.splits, self.values[order], self.seconds[order]
        )


def compare(rows: Iterable[Row], methods: list[str] | None = None) -> Comparison | None:
    """Compare methods on the cells that all of them have; None if there are none.

    Problems of which a method has no cell are left out, and so are splits.
    """
    found: dict[tuple[str, str, str], tuple[float, float]] = {}
    for row in rows:
        if row.get("value") and (methods is None or row["method"] in methods):
            key = row["method"], row["problem"], row["split"]
            found[key] = float(row["value"]), float(row["seconds"])
    names = methods or sorted({method for method, _, _ in found})
    splits_of: dict[str, set[str]] = defaultdict(set)
    for _, problem, split in found:
        if all((name, problem, split) in found for name in names):
            splits_of[problem].add(split)
    if not splits_of:
        return None
    problems = sorted(splits_of)
    splits = sorted(set.intersection(*splits_of.values()), key=int)
    if not splits:
        return None
    cells = np.array([[[found[m, p, s] for s in splits] for p in problems] for m in names])
    return Comparison(names, problems, splits, cells[..., 0], np.median(cells[..., 1], axis=(1, 2)))
