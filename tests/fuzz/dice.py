"""Random choices that a seed reproduces."""

from __future__ import annotations

import random
import zlib
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

import numpy as np

T = TypeVar("T")


class Dice(random.Random):
    """Choices for one kind and seed; ``numbers`` draws arrays."""

    def __init__(self, kind: str, seed: int):
        super().__init__(f"{kind} {seed}")
        self.numbers = np.random.default_rng([zlib.crc32(kind.encode()), seed])

    def chance(self, probability: float) -> bool:
        """Return True with this probability."""
        return self.random() < probability

    def often(self, usual: Sequence[T], odd: Sequence[T], probability: float = 0.1) -> T:
        """Choose something usual, or with a small probability something odd."""
        return self.choice(odd if self.chance(probability) else usual)

    def one_of(
        self, makers: Mapping[str, Callable[..., Any]] | Sequence[Callable[..., Any]]
    ) -> Any:
        """Choose a function."""
        return self.choice(list(makers.values() if isinstance(makers, Mapping) else makers))
