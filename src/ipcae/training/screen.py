"""Screening: a network on all features learns which to drop; decoders learn from the K best."""

from __future__ import annotations

import math
from dataclasses import replace

import torch
from torch import Tensor

from ipcae.losses import Loss, mean_loss
from ipcae.models import Params, ScreenThenDecode
from ipcae.runs import Runs
from ipcae.selection import Selection
from ipcae.training.batches import whole_batches
from ipcae.training.callbacks import Callback
from ipcae.training.checkpoint import Checkpoint
from ipcae.training.choose import Choice
from ipcae.training.decode import decode_selections
from ipcae.training.plan import Plan
from ipcae.training.rows import Rows
from ipcae.training.trainer import Fit, train


def screen_features(
    model: ScreenThenDecode,
    loss: Loss,
    rows: Rows,
    validation: Rows,
    runs: Runs,
    plan: Plan,
    *,
    fine_tune_epochs: int = 0,
    callbacks: tuple[Callback, ...] = (),
    checkpoint: Checkpoint | None = None,
) -> Choice:
    """Train the screen of every run, with every penalty weight, then decoders on the K best.

    All penalty weights of all runs are one batch. A run takes the weight that leaves nearest to K
    features open, and of several such the one with the lowest validation loss. The screen's last
    state counts, since its validation loss is lowest while all features are open.
    """
    validation = whole_batches(validation, plan)
    if checkpoint is not None:
        checkpoint.prepare()
    screen = model.screen
    # NOTE[DIFF]: STG and LassoNet screen centered columns on one common scale; the paper's see the
    # data as they are.
    seen, seen_in_validation = _centered(rows, validation)
    # NOTE[DIFF]: STG's λ is a multiple of the loss of a constant prediction, from a grid of eight;
    # the paper does not give its own.
    unit = constant_loss(loss, seen, model.n_outputs)
    every = _with_weights(runs, [unit * weight for weight in screen.penalty_weights])
    screening = replace(
        plan, max_epochs=screen.n_epochs(plan.max_epochs), patience=None, keep_last=True
    )
    fit = train(
        model.screening(seen.inputs),
        loss,
        seen,
        seen_in_validation,
        every,
        screening,
        callbacks=callbacks,
        checkpoint=checkpoint,
    )
    chosen = _chosen_runs(model, fit, len(runs))
    return decode_selections(
        model.final,
        _selections(model, {name: t[chosen] for name, t in fit.params.items()}),
        _fit_of(fit, chosen),
        loss,
        rows,
        validation,
        runs,
        plan,
        fine_tune_epochs=fine_tune_epochs,
        callbacks=callbacks,
        checkpoint=checkpoint,
    )


def _centered(rows: Rows, validation: Rows) -> tuple[Rows, Rows]:
    """Center the columns and bring them to one common scale, for the screen only.

    A closed gate then means a column at its mean, and a gradient does not mix a feature's own part
    with the bias's. The decoders see the rows as they came.
    """
    center = rows.inputs.mean(0)
    size = (rows.inputs - center).square().mean().sqrt()
    size = torch.where(size > 0, size, torch.ones_like(size))

    def scaled(part: Rows) -> Rows:
        inputs = (part.inputs - center) / size
        targets = inputs if part.targets is part.inputs else part.targets
        return Rows(inputs, targets, part.weights)

    return scaled(rows), scaled(validation)


def constant_loss(loss: Loss, rows: Rows, n_outputs: int) -> float:
    """Return the loss of a prediction that is the same for every row: a scale for penalties.

    >>> from ipcae.losses import SquaredError
    >>> constant_loss(SquaredError(), Rows(torch.zeros(2, 1), torch.tensor([[1.0], [3.0]])), 1)
    1.0
    """
    targets = rows.targets
    outputs = torch.zeros(1, len(rows), n_outputs, device=targets.device)
    if targets.is_floating_point() and targets.shape == outputs.shape[1:]:
        outputs = outputs + targets.mean(0)
    value = float(mean_loss(loss.per_row(outputs, targets), rows.weights))
    return value if math.isfinite(value) and value > 0 else 1.0


def _with_weights(runs: Runs, weights: list[float]) -> Runs:
    """Repeat every run once for each penalty weight."""
    repeated = runs.subset([run for run in range(len(runs)) for _ in weights])
    return replace(repeated, penalty_weights=tuple(weights) * len(runs))


@torch.no_grad()
def _chosen_runs(model: ScreenThenDecode, fit: Fit, n_runs: int) -> list[int]:
    """Return, for each of the R runs, the one of its penalty weights whose result is taken."""
    n_open = model.screen.is_open(fit.params).sum(-1).tolist()
    n_weights = len(n_open) // n_runs

    def rank(run: int) -> tuple[float, float]:
        if not math.isfinite(fit.best_loss[run]):
            return math.inf, math.inf
        # Twice too many is as far as half of them.
        distance = abs(math.log((n_open[run] + 0.5) / model.n_selected))
        return distance, fit.best_loss[run]

    return [min(range(r * n_weights, (r + 1) * n_weights), key=rank) for r in range(n_runs)]


@torch.no_grad()
def _selections(model: ScreenThenDecode, params: Params) -> list[Selection]:
    scores = torch.nan_to_num(model.screen.scores(params))
    scores[:, list(model.excluded)] = -torch.inf
    features = _largest(scores, model.n_selected).cpu().numpy()
    probability = model.screen.probability(params).cpu().numpy()
    return [
        Selection(chosen=own, features=own, probability=strength)
        for own, strength in zip(features, probability, strict=True)
    ]


def _largest(scores: Tensor, n_selected: int) -> Tensor:
    """Return the features of the largest scores, the first of equals. Shape: (R, D) -> (R, K)."""
    return scores.argsort(dim=1, descending=True, stable=True)[:, :n_selected]


def _fit_of(fit: Fit, runs: list[int]) -> Fit:
    return Fit(
        params={name: tensor[runs] for name, tensor in fit.params.items()},
        best_loss=[fit.best_loss[run] for run in runs],
        best_epoch=[fit.best_epoch[run] for run in runs],
        status=[fit.status[run] for run in runs],
        history=fit.history.of_runs(runs),
        seconds=fit.seconds,
    )
