"""Methods that train a network on all features, then decoders on the K best."""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import torch
from torch import Tensor

from ipcae.arrays import Integers
from ipcae.constraints import Constraints
from ipcae.losses import Loss, mean_loss, row_losses
from ipcae.models import Model, Params
from ipcae.rows import Rows
from ipcae.runs import Stream
from ipcae.schedules import Progress
from ipcae.selection import Selection
from ipcae.selectors.base import Penalized, Shape
from ipcae.selectors.screening_model import ScreeningModel
from ipcae.training import Choice, Fit, Phase, Problem, decode, train


@dataclass(frozen=True)
class Screen(Penalized):
    """A network that reads all features and learns which to drop.

    Every run is trained with each of ``penalty_weights``, the weights λ of the penalty in units of
    the loss of a constant prediction. The result whose number of open features is nearest to K is
    used.

    Parameters
    ----------
    costs : FeatureCosts, optional
        Soft penalties on features: the λ of a feature is divided by :attr:`FeatureCosts.factors`.

    See Also
    --------
    StochasticGates : A network with a gate per feature.
    LassoNet : A network with a linear skip layer and a path of penalties.

    Examples
    --------
    >>> from ipcae.selectors import LassoNet, StochasticGates
    >>> issubclass(LassoNet, Screen), issubclass(StochasticGates, Screen)
    (True, True)
    """

    phases = (Phase.SCREENING, Phase.DECODING)

    @property
    def penalty_weights(self) -> tuple[float, ...]:
        """The weights of the penalty to search; a single 0 by default."""
        return (0.0,)

    @property
    def epochs(self) -> float:
        """Number of screening epochs, as a multiple of ``max_epochs``; 1 by default."""
        return 1.0

    def n_epochs(self, max_epochs: int) -> int:
        """Return the number of screening epochs, given ``max_epochs`` of the decoders."""
        return max(round(self.epochs * max_epochs), 1)

    # Defined by subclasses.

    @abstractmethod
    def init(self, size_of: Tensor, n_outputs: int, stream: Stream) -> Params:
        """Draw the initial tensors, the run axis first.

        Shape: size_of (D,), the root mean square of every feature.
        """

    @abstractmethod
    def predict(
        self, params: Params, rows: Tensor, progress: Progress, stream: Stream | None
    ) -> Tensor:
        """Map rows to outputs, with noise if a stream is given. Shape: (B, D) -> (R, B, O)."""

    def penalty(self, params: Params) -> Tensor | None:
        """Return the penalty for weight 1, shape (R,), or None."""
        return None

    def after_step(self, params: Params, progress: Progress, step_size: Tensor) -> None:
        """Modify the tensors in place after an optimizer step. Shape: step_size (R,)."""
        return

    @abstractmethod
    def is_open(self, params: Params) -> Tensor:
        """Return a mask of the features that the network uses. Shape: -> (R, D), bool."""

    @abstractmethod
    def scores(self, params: Params) -> Tensor:
        """Return scores that are higher for better features. Shape: -> (R, D)."""

    @abstractmethod
    def probability(self, params: Params) -> Tensor:
        """Return the strength of every feature, from 0 to 1. Shape: -> (R, D)."""

    def with_groups(self, groups: tuple[tuple[int, ...], ...]) -> Screen:
        """Return a method that drops the features of a group together.

        By default, features are dropped individually, and a group has the score of its best.
        """
        return self

    def keep_open(self, params: Params, kept: list[int]) -> None:
        """Change the initial tensors, in place, so that these features are never dropped.

        By default, nothing changes: included features are selected regardless of their scores.
        """
        return

    # Common to all screening methods.

    def models(self, shape: Shape) -> Sequence[Model]:
        """Return the screening network and the final model."""
        sizes = (1.0,) * shape.n_features
        return [ScreeningModel(self, sizes, shape.n_outputs), shape.final_model]

    def choose(self, problem: Problem) -> Choice:
        """Train the network of every run with every penalty weight, then decoders on the K best.

        All penalty weights of all runs are trained in one batch. The last state of a network is
        used, because its validation loss is lowest while all features are open.
        """
        columns = _readable(problem.constraints)
        screening = self._screening(problem, columns)
        model = self._network(problem, columns, screening.rows)
        fit = train(model, screening, Phase.SCREENING)
        chosen = fit.of_runs(self._nearest(fit, problem, columns))
        return decode(problem, self._selections(chosen.params, problem, columns), chosen)

    def _screening(self, problem: Problem, columns: Integers) -> Problem:
        """Return the problem of the network on these columns: all penalty weights of all runs."""
        # NOTE[DIFF]: STG and LassoNet screen centered columns on one common scale; the paper does
        # not scale the data.
        rows, validation = _centered(problem.rows, problem.validation)
        # NOTE[DIFF]: STG's λ is a multiple of the loss of a constant prediction, from a grid of
        # eight; the paper does not state its λ.
        units = _constant_losses(problem.loss, rows, problem.task.n_outputs, len(problem.runs))
        weights = tuple(unit * weight for unit in units for weight in self.penalty_weights)
        if problem.constraints.excluded:
            rows, validation = (part.with_columns(columns) for part in (rows, validation))
        n_epochs = self.n_epochs(problem.plan.max_epochs)
        plan = replace(problem.plan, max_epochs=n_epochs, patience=None, keep_last=True)
        every = [run for run in range(len(problem.runs)) for _ in self.penalty_weights]
        repeated = replace(problem, rows=rows, validation=validation, plan=plan).of_runs(every)
        return replace(repeated, runs=replace(repeated.runs, penalty_weights=weights))

    def _network(self, problem: Problem, columns: Integers, rows: Rows) -> ScreeningModel:
        """Return the network on these columns of the rows, with the groups and costs of these."""
        screen, given = self, problem.constraints
        groups = [group for group in given.groups if np.isin(group, columns).all()]
        if groups:
            positions = (np.searchsorted(columns, group).tolist() for group in groups)
            screen = screen.with_groups(tuple(map(tuple, positions)))
        if screen.costs is not None:
            screen = replace(screen, costs=screen.costs.among(columns))
        sizes = rows.inputs.square().mean(0).sqrt().tolist()
        kept = np.searchsorted(columns, given.included).tolist()
        return ScreeningModel(screen, tuple(sizes), problem.task.n_outputs, tuple(kept))

    @torch.no_grad()
    def _nearest(self, fit: Fit, problem: Problem, columns: Integers) -> list[int]:
        """Return, for every run, its training with the number of open features nearest to K."""
        unit_of = problem.constraints.unit_of[columns]
        is_open = self.is_open(fit.params).cpu().numpy()
        n_open = [len(np.unique(unit_of[mask])) for mask in is_open]
        n_weights = len(self.penalty_weights)

        def rank(run: int) -> tuple[float, float]:
            if not math.isfinite(fit.best_loss[run]):
                return math.inf, math.inf
            # Twice as many features are as far from K as half as many.
            distance = abs(math.log((n_open[run] + 0.5) / problem.counts[run // n_weights]))
            return distance, fit.best_loss[run]

        starts = range(0, len(problem.runs) * n_weights, n_weights)
        return [min(range(start, start + n_weights), key=rank) for start in starts]

    @torch.no_grad()
    def _selections(self, params: Params, problem: Problem, columns: Integers) -> list[Selection]:
        constraints, shape = problem.constraints, (len(problem.runs), problem.n_features)
        scores, probability = np.full(shape, -np.inf), np.zeros(shape, dtype=np.float32)
        scores[:, columns] = torch.nan_to_num(self.scores(params)).cpu().numpy()
        probability[:, columns] = self.probability(params).cpu().numpy()
        selections = []
        for run, count in enumerate(problem.counts):
            of_units, strength = (
                constraints.units.largest(values[run]) for values in (scores, probability)
            )
            units = constraints.best(of_units, count)
            selections.append(Selection.of_units(constraints, units, strength, self.measure))
        return selections


def _centered(rows: Rows, validation: Rows) -> tuple[Rows, Rows]:
    """Center the columns and divide them by one common scale, for screening only.

    A closed gate then replaces a column by its mean, and the gradient of a feature is separate
    from that of the bias.
    """
    center = rows.inputs.mean(0)
    size = (rows.inputs - center).square().mean().sqrt()
    size = torch.where(size > 0, size, torch.ones_like(size))

    def scaled(part: Rows) -> Rows:
        return replace(part, inputs=(part.inputs - center) / size)

    return scaled(rows), scaled(validation)


def _readable(constraints: Constraints) -> Integers:
    """Return the columns that the network reads: all but the excluded ones."""
    return np.setdiff1d(np.arange(constraints.n_features), constraints.excluded)


def constant_loss(loss: Loss, rows: Rows, n_outputs: int) -> float:
    """Return the loss of a constant prediction, the unit of the penalty weights.

    >>> from ipcae.losses import SquaredError
    >>> constant_loss(SquaredError(), Rows(torch.zeros(2, 1), torch.tensor([[1.0], [3.0]])), 1)
    1.0
    """
    targets = rows.targets
    outputs = torch.zeros(1, len(rows), n_outputs, device=targets.device)
    if targets.is_floating_point() and targets.shape == outputs.shape[1:]:
        outputs = outputs + targets.mean(0)
    value = float(mean_loss(row_losses(loss, outputs, targets, rows.weights), rows.weights))
    return value if math.isfinite(value) and value > 0 else 1.0


def _constant_losses(loss: Loss, rows: Rows, n_outputs: int, n_runs: int) -> list[float]:
    """Return the loss of a constant prediction of every run."""
    if not rows.differ:
        return [constant_loss(loss, rows, n_outputs)] * n_runs
    return [constant_loss(loss, rows.of_run(run), n_outputs) for run in range(n_runs)]
