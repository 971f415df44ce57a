"""Methods that train the selection together with the decoder."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, NamedTuple, Protocol

import numpy as np
import torch

from ipcae.constraints import Constraints
from ipcae.errors import InputError, invalid_argument, refuse_class
from ipcae.models import FixedSelection, Model, Params
from ipcae.selection import Selection
from ipcae.selectors.base import Method, Shape
from ipcae.training import Choice, Fit, Phase, Problem, decode, train
from ipcae.training.choices.decoding import conclude_or_decode


class JointModel(Model, Protocol):
    """A model of a selection and a decoder.

    The names of the decoder's tensors start with ``decoder.``. If ``needs_new_decoders`` is true,
    new decoders are trained on the selections, which may differ from what the model read. A model
    whose runs may select different numbers of features has a method ``narrowed(params, counts)``,
    as :class:`SelectThenDecode` does. One whose decoder does not read the selected features in
    their order has a method ``final_params(params, selections)``, as the model of
    :class:`Subset` does.
    """

    @property
    def final_model(self) -> FixedSelection:
        """The model with the same decoder on a fixed selection."""
        ...

    def selections(self, params: Params, unique: bool) -> list[Selection]:
        """Return the selection of every run, of K different features if ``unique``."""
        ...


class Trained(NamedTuple):
    """A trained model and the selections of its runs; the decoders are not fine-tuned yet."""

    model: JointModel
    fit: Fit
    selections: list[Selection]

    def of_runs(self, runs: list[int]) -> Trained:
        """Return the trained model of some runs."""
        return Trained(self.model, self.fit.of_runs(runs), [self.selections[run] for run in runs])


class Joint(Method):
    """A method with one model, whose selection and decoder are trained together.

    See Also
    --------
    Concrete : Nodes with a concrete distribution: CAE and IP-CAE.
    Subset : Draws of K features without replacement.

    Examples
    --------
    >>> from ipcae.selectors import Concrete
    >>> isinstance(Concrete(), Joint), Concrete().phases
    (True, (<Phase.SELECTING: 'selecting'>,))
    """

    phases = (Phase.SELECTING,)
    streams = True

    @abstractmethod
    def model(self, shape: Shape, constraints: Constraints | None = None) -> JointModel:
        """Return the model to train, whose selections satisfy the constraints."""

    def models(self, shape: Shape) -> Sequence[Model]:
        """Return the model."""
        return [self.model(shape, shape.constraints)]

    def choose(self, problem: Problem) -> Choice:
        """Train the model, then fix the selection and fine-tune the decoders."""
        return self.conclude(problem, self.train(problem))

    def n_inputs(self, problem: Problem) -> int:
        """Return the number of inputs of the decoders."""
        model = self._model_for(problem)
        return (problem if _needs_new_decoders(model) else model).final_model.n_selected

    def train(self, problem: Problem) -> Trained:
        """Train the model and return its selections."""
        model = self._model_for(problem)
        if problem.runs.n_selected is not None and not hasattr(model, "narrowed"):
            raise InputError(
                f"{type(self).__name__} cannot select different numbers of features in one "
                "training: its model has no method narrowed(params, counts)."
            )
        fit = train(model, problem, Phase.SELECTING)
        return Trained(model, fit, model.selections(fit.params, problem.unique))

    def conclude(self, problem: Problem, trained: Trained) -> Choice:
        """Fix the selections of a trained model and fine-tune the decoders, or train new ones."""
        if _needs_new_decoders(trained.model):
            return decode(problem, trained.selections, trained.fit)
        model, fit, selections = trained
        params = final_params(model, fit.params, selections, problem.constraints)
        fit = replace(fit, params=params)
        return conclude_or_decode(problem, model.final_model, selections, fit)

    def _model_for(self, problem: Problem) -> JointModel:
        shape = Shape(
            problem.decoder, problem.n_features, problem.n_selected, problem.task.n_outputs
        )
        return self.model(shape, problem.constraints)


def final_params(
    model: JointModel, params: Params, selections: list[Selection], constraints: Constraints
) -> Params:
    """Return the tensors of the final model, given those of the joint one.

    Every unit of a selection is read by as many inputs of the decoder as the largest has columns.
    """
    if hasattr(model, "final_params"):
        return model.final_params(params, selections)
    width = constraints.width
    features = np.zeros((len(selections), model.final_model.n_selected), dtype=np.int64)
    used = np.zeros(features.shape, dtype=np.float32)
    for run, selection in enumerate(selections):
        for node, columns in enumerate(constraints.units.split(selection.features)):
            inputs = slice(node * width, node * width + len(columns))
            features[run, inputs], used[run, inputs] = columns, 1
    device = next(iter(params.values())).device
    mask = None if used.all() else torch.from_numpy(used).to(device)
    return FixedSelection.start_from(params, torch.from_numpy(features).to(device), mask)


def _needs_new_decoders(model: JointModel) -> bool:
    """Return whether the decoders are trained again, on the selections."""
    return bool(getattr(model, "needs_new_decoders", False))


def require_parts(parametrization: Any, temperature: Any, regularizer: Any) -> None:
    """Raise an error if a part of a method is not of its kind."""
    refuse_class("parametrization", parametrization, "init")
    if not hasattr(parametrization, "init"):
        expected = "an object, such as Full() or Direct()"
        raise invalid_argument("parametrization", parametrization, expected)
    refuse_class("temperature", temperature, "__call__")
    if not callable(temperature) or not temperature(0.0) > 0:
        expected = "a schedule of positive values, such as Exponential(10.0, 0.01)"
        raise invalid_argument("temperature", temperature, expected)
    if regularizer is not None and not hasattr(regularizer, "weight"):
        raise invalid_argument("regularizer", regularizer, "an object, such as Gjsd(0.05)")
