"""The runs of a batch."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ipcae.errors import InputError


@dataclass(frozen=True)
class Runs:
    """What the R runs of a batch differ in, one value per run.

    Attributes
    ----------
    seeds : tuple of int
    learning_rates, penalty_weights : tuple of float
    n_selected : tuple of int, optional
        Number of features to select; None for the same number, that of the problem.

    Examples
    --------
    >>> runs = Runs.of([11, 22], learning_rate=1e-3, penalty_weight=[0.0, 0.05])
    >>> len(runs), runs.learning_rates, runs.subset([1]).seeds
    (2, (0.001, 0.001), (22,))
    >>> Runs.of([11, 22], n_selected=[5, 10]).subset([1]).n_selected
    (10,)
    """

    seeds: tuple[int, ...]
    learning_rates: tuple[float, ...]
    penalty_weights: tuple[float, ...]
    n_selected: tuple[int, ...] | None = None

    @classmethod
    def of(
        cls,
        seeds: Sequence[int],
        learning_rate: float | Sequence[float] = 1e-3,
        penalty_weight: float | Sequence[float] = 0.0,
        n_selected: Sequence[int] | None = None,
    ) -> Runs:
        """Create runs from one seed per run; other values are shared, or given per run."""
        seeds = tuple(int(seed) for seed in seeds)
        if not seeds:
            raise InputError("No runs to train: expected at least one seed.")
        if not all(0 <= seed < 2**64 for seed in seeds):
            raise InputError(
                f"Seeds {seeds} are out of range: expected integers from 0 to 2⁶⁴ − 1."
            )
        return cls(
            seeds,
            _one_each(learning_rate, len(seeds), "learning rate"),
            _one_each(penalty_weight, len(seeds), "penalty weight"),
            None if n_selected is None else _counts(n_selected, len(seeds)),
        )

    def __len__(self) -> int:
        return len(self.seeds)

    def subset(self, keep: Sequence[int]) -> Runs:
        """Return the runs at the positions ``keep``."""
        return Runs(
            tuple(self.seeds[r] for r in keep),
            tuple(self.learning_rates[r] for r in keep),
            tuple(self.penalty_weights[r] for r in keep),
            None if self.n_selected is None else tuple(self.n_selected[r] for r in keep),
        )


def _counts(n_selected: Sequence[int], n_runs: int) -> tuple[int, ...]:
    counts = tuple(int(count) for count in n_selected)
    if len(counts) != n_runs or min(counts) < 1:
        raise InputError(
            f"n_selected is {counts} for {n_runs} runs: expected one positive number per run."
        )
    return counts


def _one_each(value: float | Sequence[float], n_runs: int, name: str) -> tuple[float, ...]:
    values = np.atleast_1d(np.asarray(value, dtype=np.float64))
    if values.ndim != 1 or len(values) not in (1, n_runs):
        raise InputError(
            f"Got {values.size} values of the {name} for {n_runs} runs: "
            "expected one for all runs, or one per run."
        )
    if not (np.isfinite(values) & (values >= 0)).all():
        raise InputError(f"The {name} is {value}: expected non-negative, finite numbers.")
    return tuple(float(v) for v in np.broadcast_to(values, (n_runs,)))
