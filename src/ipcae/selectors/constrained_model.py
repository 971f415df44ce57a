"""Base of the models of joint methods: a selection layer, a decoder and constraints."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ipcae.constraints import Constraints
from ipcae.decoders import Decoder

_UNSETTLED = 0.1  # the probability that the K choices of a settled run together may lack


@dataclass(frozen=True)
class ConstrainedModel:
    """A selection layer and a decoder, which are trained together, within constraints."""

    selector: Any
    decoder: Decoder
    n_features: int
    n_selected: int
    n_outputs: int
    constraints: Constraints = field(default=None, repr=False)  # type: ignore[assignment]

    def __post_init__(self) -> None:
        if self.constraints is None:
            object.__setattr__(self, "constraints", Constraints(self.n_features))

    @property
    def n_to_choose(self) -> int:
        """The number of units to choose, in addition to the included ones."""
        return self.constraints.n_to_choose(self.n_selected)

    @cached_property
    def priced(self) -> bool:
        """Whether the budget may be smaller than the cost of K units."""
        return self.constraints.binds(self.n_selected)

    def _are_settled(self, mean_probability: Iterable[float]) -> list[bool]:
        """Return, for every run, whether each of its K choices has a probability of 0.9 or more."""
        # The mean over K choices leaves open which of them lack probability: one may lack it all.
        return [self.n_selected * (1 - mean) <= _UNSETTLED for mean in mean_probability]

    def _strength(self, probability: NDArray[Any]) -> NDArray[np.float32]:
        """Return the probabilities of all units, 1 for included ones and 0 for those left out.

        Shape: probability (candidates,) -> (units,).
        """
        given = self.constraints
        strength = np.zeros(len(given.units), dtype=np.float32)
        strength[given.included_units], strength[given.candidates] = 1.0, probability
        return strength
