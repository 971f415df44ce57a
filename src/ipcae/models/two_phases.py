"""Methods of two phases: find the features, then train new decoders on them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import cast

from torch import Tensor

from ipcae.decoders import Decoder
from ipcae.models.fixed_selection import FixedSelection
from ipcae.models.screening import Screening
from ipcae.models.select_then_decode import SelectThenDecode
from ipcae.selectors import Method, Ranking, Screen, Selector


@dataclass(frozen=True)
class ScreenThenDecode:
    """A network on all features says which are the K best; decoders learn from those alone."""

    screen: Screen
    decoder: Decoder
    n_features: int
    n_selected: int
    n_outputs: int
    excluded: tuple[int, ...] = field(default=(), repr=False)

    def screening(self, inputs: Tensor) -> Screening:
        """Return the model of the first phase, for these training rows (N, D)."""
        sizes = inputs.square().mean(0).sqrt().tolist()
        return Screening(self.screen, tuple(sizes), self.n_outputs)

    @property
    def final(self) -> FixedSelection:
        """The model of the second phase."""
        return FixedSelection(self.decoder, self.n_selected, self.n_outputs)


@dataclass(frozen=True)
class RankThenDecode:
    """A ranking says which are the K best features; decoders learn from those alone."""

    ranking: Ranking
    decoder: Decoder
    n_features: int
    n_selected: int
    n_outputs: int
    excluded: tuple[int, ...] = field(default=(), repr=False)

    @property
    def final(self) -> FixedSelection:
        """The model of the second phase."""
        return FixedSelection(self.decoder, self.n_selected, self.n_outputs)


def model_for(
    method: Method,
    decoder: Decoder,
    n_features: int,
    n_selected: int,
    n_outputs: int,
    excluded: tuple[int, ...] = (),
) -> SelectThenDecode | ScreenThenDecode | RankThenDecode:
    """Return what is to be trained for a method.

    >>> from ipcae.decoders import Mlp
    >>> from ipcae.selectors import METHODS
    >>> type(model_for(METHODS["stg"], Mlp(), 8, 3, 2)).__name__
    'ScreenThenDecode'
    """
    sizes = (decoder, n_features, n_selected, n_outputs, excluded)
    if hasattr(method, "select"):
        return SelectThenDecode(cast(Selector, method), *sizes)
    if hasattr(method, "predict"):
        return ScreenThenDecode(cast(Screen, method), *sizes)
    return RankThenDecode(method, *sizes)
