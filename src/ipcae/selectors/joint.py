"""Methods that select features and train the decoder at the same time."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from typing import Protocol

from ipcae.models import FixedSelection, Model, Params
from ipcae.selection import Selection
from ipcae.selectors.base import Method, Shape
from ipcae.training import Choice, Phase, Problem, conclude, train


class JointModel(Model, Protocol):
    """A model whose tensors say which features it selects.

    The tensors of its decoder have names that start with ``decoder.``.
    """

    @property
    def final_model(self) -> FixedSelection:
        """The model of the same decoder on a fixed selection."""
        ...

    def selections(self, params: Params, unique: bool) -> list[Selection]:
        """Return what every run selects, K different features each if ``unique``."""
        ...


class Joint(Method):
    """A method with one model: a selector and a decoder that are trained together."""

    phases = (Phase.SELECTING,)

    @abstractmethod
    def model(self, shape: Shape, excluded: tuple[int, ...] = ()) -> JointModel:
        """Return the model to train."""

    def models(self, shape: Shape) -> Sequence[Model]:
        """Return the one model."""
        return [self.model(shape)]

    def choose(self, problem: Problem) -> Choice:
        """Train the model, then fix what it selects and fine-tune the decoders."""
        shape = Shape(
            problem.decoder, problem.n_features, problem.n_selected, problem.task.n_outputs
        )
        model = self.model(shape, problem.excluded)
        fit = train(model, problem, Phase.SELECTING)
        return conclude(problem, model.selections(fit.params, problem.unique), fit)
