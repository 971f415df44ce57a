"""What a ranking is: a method without training that scores every feature."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

Scores = NDArray[np.float64]

TASKS = ("classification", "regression", "reconstruction")


@dataclass(frozen=True)
class Examples:
    """The rows that a ranking learns from.

    Shape: inputs (N, D); targets (N, T), or (N, 0) where the inputs are reconstructed; weights
    (N,) or None.
    """

    inputs: NDArray[np.float64]
    targets: NDArray[np.float64]
    discrete: bool
    weights: NDArray[np.float64] | None = None


class Ranking(Protocol):
    """Hyper-parameters plus a pure function. Decoders are trained on the K best features."""

    @property
    def tasks(self) -> tuple[str, ...]:
        """The tasks it is made for."""
        ...

    @property
    def random(self) -> bool:
        """Whether the seed matters: else all runs share one ranking."""
        ...

    def scores(self, examples: Examples, n_selected: int, seed: int) -> Scores:
        """Return a number that is larger for better features, not negative. Shape: -> (D,)."""
        ...


def mean_over_targets(examples: Examples, score: Callable[[NDArray[np.float64]], Scores]) -> Scores:
    """Average the scores that a function gives for every single target (N,). Shape: -> (D,)."""
    return np.mean([np.nan_to_num(score(target)) for target in examples.targets.T], axis=0)
