"""Variants of a fit, such as the folds of a cross-validation, trained as runs of one batch."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import torch
from torch import Tensor

from ipcae.arrays import Integers
from ipcae.distributed import of_first_process
from ipcae.estimators.base import NeuralSelector
from ipcae.estimators.many_fits.batch_progress import BatchProgress
from ipcae.estimators.many_fits.threaded_batches import BatchSchedule, fit_each
from ipcae.estimators.many_fits.variant_batches import batches_of
from ipcae.estimators.one_fit.fitting import (
    calibrate,
    choose_features,
    choose_method,
    set_fitted_attributes,
)
from ipcae.estimators.one_fit.problem import Seeds, runs_of, state_problem
from ipcae.estimators.one_fit.settings import Settings
from ipcae.estimators.one_fit.table import Table
from ipcae.rows import Rows
from ipcae.runs import Runs
from ipcae.training import Problem


@dataclass(frozen=True, eq=False)
class Variant:
    """A run of a fit that differs from the others in its rows or its number of features.

    Attributes
    ----------
    train, validate : array of int
        Rows that the run learns from, and rows that choose its epoch.
    n_selected : int
        Number of features to select.
    seed : int
    run : int
        Which of the estimator's runs this is: its learning rate and penalty weight are used.
    """

    train: Integers
    validate: Integers
    n_selected: int
    seed: int
    run: int = 0


def fit_variants(
    selector: NeuralSelector, table: Table, variants: Sequence[Variant], order_seed: int
) -> list[NeuralSelector | None]:
    """Return a fitted copy of the selector, which read the table, for every variant.

    It predicts with the run of the variant. ``order_seed`` determines the order of the rows. All
    variants are trained as the runs of one batch or of a few (:func:`batches_of`). The columns are
    scaled once, by the training rows of all variants together. After Ctrl-C, the variants of
    batches that were not begun are None.
    """
    selector = copy.copy(selector)
    settings = choose_method(selector, Settings.of(selector), table)
    fitter = _VariantFitter.of(selector, settings, table, variants, order_seed)
    fitted: list[NeuralSelector | None] = [None] * len(variants)
    batches = of_first_process(batches_of(settings, table, variants))
    progress = BatchProgress(len(batches))

    def fit(number: int) -> bool:
        """Fit the variants of a batch, and return whether the user interrupted it."""
        shown = progress.callbacks(settings.callbacks, number)
        results = fitter.fit([variants[i] for i in batches[number]], shown)
        for position, result in zip(batches[number], results, strict=True):
            fitted[position] = result
        return results[0]._interrupted

    schedule = BatchSchedule.of(settings, table, fitter.problem, variants, batches)
    done = fit_each(fit, schedule.threaded, schedule.n_threads, schedule.n_together)
    interrupted = len(done) < len(schedule.threaded) or any(done.values())
    for number in schedule.others:
        if interrupted:
            break
        interrupted = fit(number)
    return fitted


@dataclass(frozen=True, eq=False)
class _VariantFitter:
    """The scaled rows of all variants, and what else their batches share.

    ``train`` and ``validate`` are the rows of the table that ``problem`` learns from and is
    validated on, in ascending order.
    """

    selector: NeuralSelector
    settings: Settings
    table: Table
    problem: Problem
    train: Integers
    validate: Integers

    @classmethod
    def of(
        cls,
        selector: NeuralSelector,
        settings: Settings,
        table: Table,
        variants: Sequence[Variant],
        order_seed: int,
    ) -> _VariantFitter:
        """Scale the rows that any variant uses."""
        train, validate = _union(variants)
        training, validation = (table.rows.take(_index(part, table)) for part in (train, validate))
        largest = replace(table, n_selected=max(variant.n_selected for variant in variants))
        seeds = Seeds(0, order_seed, [variants[0].seed])
        problem, selector.scaler_, selector.constraints_ = state_problem(
            settings, largest, training, validation, seeds
        )
        problem = replace(
            problem,
            held_out=settings.validation_fraction is not None,
            refit=False,
            importance=False,  # variants are compared by their predictions and selections
        )
        return cls(selector, settings, table, problem, train, validate)

    def fit(self, variants: list[Variant], callbacks: tuple[Any, ...]) -> list[NeuralSelector]:
        """Fit some of the variants as one batch."""
        problem = self._problem(variants, callbacks)
        fitted = copy.copy(self.selector)
        fitted.task_ = problem.task
        choice = choose_features(fitted, self.settings, problem)
        train, _ = _union(variants)
        training = self.table.rows.take(_index(train, self.table))
        fitted.task_ = calibrate(problem, choice, training)
        set_fitted_attributes(fitted, choice, problem.runs)
        return [_view(fitted, run) for run in range(len(variants))]

    def _problem(self, variants: list[Variant], callbacks: tuple[Any, ...]) -> Problem:
        """Return the problem of a batch: its runs, and the rows that any of them uses."""
        learned, held_out = [each.train for each in variants], [each.validate for each in variants]
        train, validate = _union(variants)
        rows = _taken(self.problem.rows, self.train, train)
        validation = _taken(self.problem.validation, self.validate, validate)
        plan = self.problem.plan
        return replace(
            self.problem,
            runs=_runs(self.settings, variants),
            n_selected=max(variant.n_selected for variant in variants),
            rows=_weighted(rows, train, learned),
            validation=_weighted(validation, validate, held_out),
            plan=replace(plan, batch_size=_batch_size(self.settings, len(train), learned)),
            callbacks=callbacks,
        )


def _union(variants: Sequence[Variant]) -> tuple[Integers, Integers]:
    """Return the rows that any variant learns from, and those that any is validated on."""
    parts = [each.train for each in variants], [each.validate for each in variants]
    train, validate = (np.unique(np.concatenate(part)) for part in parts)
    return train, validate


def _taken(rows: Rows, known: Integers, wanted: Integers) -> Rows:
    """Return the wanted ones of known rows; both are in ascending order."""
    if len(known) == len(wanted):
        return rows
    places = torch.as_tensor(np.searchsorted(known, wanted), device=rows.inputs.device)
    return rows.take(places)


def _runs(settings: Settings, variants: list[Variant]) -> Runs:
    every = runs_of(settings, [0] * settings.n_runs)
    return replace(
        every.subset([variant.run for variant in variants]),
        seeds=tuple(variant.seed for variant in variants),
        n_selected=tuple(variant.n_selected for variant in variants),
    )


def _batch_size(settings: Settings, n_rows: int, learned: list[Integers]) -> int:
    """Return a batch size for which a batch has as many rows of a variant as in a separate fit.

    Rows of the batch that a variant does not learn from have weight 0.
    """
    own = float(np.mean([len(rows) for rows in learned]))
    wanted = settings.batch_size_of(round(own)) * n_rows / own
    return max(1, min(round(wanted), n_rows))


def _weighted(rows: Rows, indices: Integers, used: list[Integers]) -> Rows:
    """Give weight 0, for every variant, to the rows that it does not use. Shape: -> (R, N)."""
    member = np.stack([np.isin(indices, own) for own in used])
    if member.all():
        return rows
    weights = torch.from_numpy(member).to(rows.inputs)
    if rows.weights is not None:
        weights = weights * rows.weights.to(weights)
    return replace(rows, weights=weights)


def _index(rows: Integers, table: Table) -> Tensor:
    return torch.as_tensor(rows, device=table.rows.inputs.device)


def _view(fitted: NeuralSelector, run: int) -> NeuralSelector:
    view = copy.copy(fitted)
    view.best_run_ = run
    return view
