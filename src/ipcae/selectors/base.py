"""What a method is: it decides how features are selected."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from ipcae.decoders import Decoder
from ipcae.models import FixedSelection, Model
from ipcae.training import Choice, Phase, Problem

ALL_TASKS = ("classification", "multilabel", "regression", "reconstruction")


@dataclass(frozen=True)
class Shape:
    """The sizes that a method's models are made for."""

    decoder: Decoder
    n_features: int
    n_selected: int
    n_outputs: int

    @property
    def final_model(self) -> FixedSelection:
        """The model that every fit ends with."""
        return FixedSelection(self.decoder, self.n_selected, self.n_outputs)


class Method(ABC):
    """Hyper-parameters plus pure functions; a subclass is a frozen dataclass.

    Attributes
    ----------
    tasks : tuple of str
        The names of the tasks that the method can be used for.
    phases : tuple of Phase
        What :meth:`choose` goes through, before any fine-tuning.
    penalty_weight : float or tuple of float
        The weight of the method's penalty: for all runs, or one per run.
    """

    tasks: ClassVar[tuple[str, ...]] = ALL_TASKS
    phases: ClassVar[tuple[Phase, ...]]

    @property
    def penalty_weight(self) -> float | tuple[float, ...]:
        """No penalty."""
        return 0.0

    @abstractmethod
    def choose(self, problem: Problem) -> Choice:
        """Select K features for every run, and train the decoders that read them."""

    def models(self, shape: Shape) -> Sequence[Model]:
        """Return the models that are trained, to estimate how much memory they take."""
        return [shape.final_model]

    def sampling_bytes(self, shape: Shape, n_runs: int, batch_size: int, on_cpu: bool) -> int:
        """Return the memory that a step needs to sample a selection."""
        return 0
