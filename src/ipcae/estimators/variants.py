"""Variants of a fit, such as the folds of a cross-validation, trained as runs of one batch."""

from __future__ import annotations

import copy
import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from ipcae.distributed import of_first_process
from ipcae.estimators import fitting
from ipcae.estimators.base import NeuralSelector
from ipcae.estimators.fitting import Seeds, Table
from ipcae.estimators.memory import Sizes, estimate, free_bytes
from ipcae.estimators.settings import Settings
from ipcae.ops import matrix_precision
from ipcae.rows import Rows
from ipcae.runs import Runs
from ipcae.selectors.base import choose_within_constraints
from ipcae.training import Phase, Problem

Indices = NDArray[np.int64]
_SHARE_OF_MEMORY = 0.5  # of the free memory, for one batch
_FEWEST_ON_GPU = 20  # with more runs, the time of a step grows with their number (docs/speed.md)


@dataclass(frozen=True, eq=False)
class Variant:
    """A run of a fit that differs from the others in its rows, number of features or targets.

    Attributes
    ----------
    train, validate : array of int
        Rows that the run learns from, and rows that choose its epoch.
    n_selected : int
        Number of features to select.
    seed : int
    run : int
        Which of the estimator's runs this is: its learning rate and penalty weight are used.
    target_rows : array of shape (n_rows,), optional
        For every row of the table, the row whose target it gets: a permutation.
    """

    train: Indices
    validate: Indices
    n_selected: int
    seed: int
    run: int = 0
    target_rows: Indices | None = None


@dataclass(frozen=True, eq=False)
class FittedVariant:
    """A fitted selector that predicts with the run of one variant."""

    selector: NeuralSelector

    @property
    def validation_loss(self) -> float:
        """The loss on the rows that chose the epoch; infinite if the run diverged."""
        return float(self.selector.validation_loss_[self.selector.best_run_])

    @property
    def interrupted(self) -> bool:
        """Whether the training was interrupted."""
        return "interrupted" in self.selector.run_status_


def fit_variants(
    selector: NeuralSelector,
    table: Table,
    variants: Sequence[Variant],
    order_seed: int,
    callbacks: Sequence[Any] = (),
) -> list[FittedVariant | None]:
    """Fit all variants, in one batch if the memory allows it.

    The columns are scaled once, by the training rows of all variants together. After Ctrl-C, the
    variants of batches that were not begun are None.

    Parameters
    ----------
    selector : selector
        An unfitted selector that read ``table``; copies of it are returned.
    table : Table
    variants : sequence of Variant
    order_seed : int
        Seed of the order of the rows.
    callbacks : sequence of callable
        Called after every epoch, in addition to those of the selector.
    """
    selector = copy.copy(selector)
    settings = fitting.choose_method(selector, Settings.of(selector), table)
    settings = replace(settings, callbacks=(*settings.callbacks, *callbacks))
    fitted: list[FittedVariant | None] = [None] * len(variants)
    for batch in of_first_process(batches_of(settings, table, variants)):
        results = _fit_batch(selector, settings, table, [variants[i] for i in batch], order_seed)
        for position, result in zip(batch, results, strict=True):
            fitted[position] = result
        if results[0].interrupted:
            break
    return fitted


def batches_of(settings: Settings, table: Table, variants: Sequence[Variant]) -> list[list[int]]:
    """Divide the variants into batches that fit into the free memory.

    All nodes of a batch are computed, whether a run uses them or not. Runs of a method that trains
    nodes are therefore trained together only if their numbers of features differ by at most a
    factor of two, unless there are too few of them to make good use of the device.
    """
    counts = [variant.n_selected for variant in variants]
    order = sorted(range(len(variants)), key=lambda i: counts[i])
    groups = [order]
    if Phase.SELECTING in settings.method.phases:
        fewest = 1 if settings.device.type == "cpu" else _FEWEST_ON_GPU
        groups = []
        for i in order:
            full = groups and len(groups[-1]) >= fewest
            if not groups or (full and counts[i] > 2 * counts[groups[-1][0]]):
                groups.append([])
            groups[-1].append(i)
    return [part for group in groups for part in _affordable(settings, table, group, counts)]


def _affordable(
    settings: Settings, table: Table, group: list[int], counts: list[int]
) -> list[list[int]]:
    """Divide a group of variants into parts of equal size that fit into the free memory."""
    free = free_bytes(settings.device)
    if free is None:
        return [group]
    (n_rows, n_features), n_outputs = table.rows.inputs.shape, table.task.n_outputs
    itemsize, most = table.rows.inputs.element_size(), max(counts[i] for i in group)
    sizes = Sizes.of(settings, n_rows, n_features, most, n_outputs, itemsize)
    needed, fixed = (
        estimate(settings.method, replace(sizes, n_runs=n), settings.device).total
        for n in (len(group), 0)
    )
    available = max(_SHARE_OF_MEMORY * free - fixed, 1)
    n_parts = min(max(math.ceil((needed - fixed) / available), 1), len(group))
    size = math.ceil(len(group) / n_parts)
    return [group[start : start + size] for start in range(0, len(group), size)]


def _fit_batch(
    selector: NeuralSelector,
    settings: Settings,
    table: Table,
    variants: list[Variant],
    order_seed: int,
) -> list[FittedVariant]:
    seeds = Seeds(0, order_seed, [variant.seed for variant in variants])
    learned, held_out = [each.train for each in variants], [each.validate for each in variants]
    train, validate = (np.unique(np.concatenate(parts)) for parts in (learned, held_out))
    training, validation = (table.rows.take(_index(part, table)) for part in (train, validate))
    fitted = copy.copy(selector)
    largest = replace(table, n_selected=max(variant.n_selected for variant in variants))
    problem, fitted.scaler_, fitted.constraints_ = fitting.state_problem(
        fitted, settings, largest, training, validation, seeds, _runs(settings, variants)
    )
    plan = replace(problem.plan, batch_size=_batch_size(settings, len(train), learned))
    problem = replace(
        problem,
        rows=_weighted(problem.rows, train, learned),
        validation=_weighted(problem.validation, validate, held_out),
        plan=plan,
        held_out=settings.validation_fraction is not None,
        refit=False,
        importance=False,  # they are compared by their predictions and selections
    )
    if any(variant.target_rows is not None for variant in variants):
        problem = _with_targets(problem, table, train, validate, variants)
    fitted.task_ = problem.task
    with matrix_precision(settings.precision):
        choice = choose_within_constraints(settings.method, problem)
    fitted.task_ = fitting.calibrate(problem, choice, training)
    fitting.keep(fitted, choice, seeds)
    return [FittedVariant(_view(fitted, run)) for run in range(len(variants))]


def _runs(settings: Settings, variants: list[Variant]) -> Runs:
    every = fitting.runs_of(settings, [0] * settings.n_runs)
    return replace(
        every.subset([variant.run for variant in variants]),
        seeds=tuple(variant.seed for variant in variants),
        n_selected=tuple(variant.n_selected for variant in variants),
    )


def _batch_size(settings: Settings, n_rows: int, learned: list[Indices]) -> int:
    """Return a batch size for which a batch has as many rows of a variant as in a fit of its own.

    Rows of the batch that a variant does not learn from have weight 0.
    """
    own = float(np.mean([len(rows) for rows in learned]))
    wanted = settings.batch_size_of(round(own)) * n_rows / own
    return max(1, min(round(wanted), n_rows))


def _weighted(rows: Rows, indices: Indices, used: list[Indices]) -> Rows:
    """Give weight 0, for every variant, to the rows that it does not use. Shape: -> (R, N)."""
    member = np.stack([np.isin(indices, own) for own in used])
    weights = torch.from_numpy(member).to(rows.inputs)
    if rows.weights is not None:
        weights = weights * rows.weights.to(weights)
    return replace(rows, weights=weights)


def _with_targets(
    problem: Problem, table: Table, train: Indices, validate: Indices, variants: list[Variant]
) -> Problem:
    """Give every variant its own targets."""
    targets = problem.task.scaled(table.rows.targets).to(problem.rows.inputs.device)
    same = np.arange(len(targets))
    orders = [same if each.target_rows is None else each.target_rows for each in variants]

    def own(indices: Indices) -> Tensor:
        return torch.stack([targets[_index(order[indices], table)] for order in orders])

    return replace(
        problem,
        rows=replace(problem.rows, given_targets=own(train), own_targets=True),
        validation=replace(problem.validation, given_targets=own(validate), own_targets=True),
    )


def _index(rows: Indices, table: Table) -> Tensor:
    return torch.as_tensor(rows, device=table.rows.inputs.device)


def _view(fitted: NeuralSelector, run: int) -> NeuralSelector:
    view = copy.copy(fitted)
    view.best_run_ = run
    return view
