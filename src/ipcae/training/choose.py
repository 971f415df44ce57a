"""From training to an answer: K features for every run, and a decoder that reads exactly those."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from ipcae.losses import Loss, mean_loss
from ipcae.models import FixedSelection, Params, SelectThenDecode
from ipcae.ops import hard_select
from ipcae.runs import Runs, Stream
from ipcae.schedules import Cosine
from ipcae.selection import Selection, distinct_features, selection_probability
from ipcae.training.batches import whole_batches
from ipcae.training.callbacks import Callback, EpochReport
from ipcae.training.checkpoint import Checkpoint
from ipcae.training.history import History
from ipcae.training.plan import Plan
from ipcae.training.rows import Rows
from ipcae.training.state import FINISHED, INTERRUPTED
from ipcae.training.step import evaluate
from ipcae.training.trainer import Fit, train


@dataclass(frozen=True)
class Choice:
    """What every run chose, and the decoders that go with it.

    Attributes
    ----------
    model : FixedSelection
        The final model; ``params`` are its tensors, the run axis first.
    selections : list of Selection
    validation_loss : array of shape (R,)
        Of the final model; not finite for a run that never had a usable state.
    importance : array of shape (R, K)
        By how much the validation loss rises when a selected column is shuffled.
    status, best_epoch : list
        How every run ended, and the epoch its selection comes from.
    history : History
        Of the training, then of the fine-tuning, its epochs counted on.
    seconds : float
    """

    model: FixedSelection
    params: Params
    selections: list[Selection]
    validation_loss: NDArray[np.float64]
    importance: NDArray[np.float64]
    status: list[str]
    best_epoch: list[int]
    history: History
    seconds: float


def choose_features(
    model: SelectThenDecode,
    loss: Loss,
    rows: Rows,
    validation: Rows,
    runs: Runs,
    plan: Plan,
    *,
    unique: bool = True,
    fine_tune_epochs: int = 0,
    callbacks: tuple[Callback, ...] = (),
    checkpoint: Checkpoint | None = None,
) -> Choice:
    """Train, resolve collisions, fine-tune the decoders on the fixed selections.

    Parameters
    ----------
    unique : bool
        Where nodes of a run chose the same feature, give each one of its own: the assignment of
        nodes to features with the largest sum of logits.
    fine_tune_epochs : int
        Epochs of training of the decoder alone afterwards, with a falling learning rate; the
        state before them stays unless the validation loss falls. 0 leaves the decoder as it is.
    checkpoint : Checkpoint, optional
        Save both phases now and then, and continue them from there.
    """
    if checkpoint is not None:
        checkpoint.prepare()
    validation = whole_batches(validation, plan)
    fit = train(
        model, loss, rows, validation, runs, plan, callbacks=callbacks, checkpoint=checkpoint
    )
    final, params, selections = _fixed(model, fit.params, unique)
    return conclude(
        final,
        params,
        selections,
        fit,
        loss,
        rows,
        validation,
        runs,
        plan,
        fine_tune_epochs=fine_tune_epochs,
        callbacks=callbacks,
        checkpoint=checkpoint,
    )


def stacked_features(selections: list[Selection]) -> Tensor:
    """Return the features of all runs. Shape: (R, K)."""
    return torch.from_numpy(np.stack([selection.features for selection in selections]))


def conclude(
    final: FixedSelection,
    params: Params,
    selections: list[Selection],
    fit: Fit,
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
    """Fine-tune the decoders on selections that are made, and measure them.

    ``fit`` tells how the training went that led to ``params``.
    """
    seconds, status = fit.seconds, fit.status
    if fine_tune_epochs and INTERRUPTED not in fit.status:
        tuning = replace(plan, max_epochs=fine_tune_epochs, schedule=Cosine(), patience=None)
        tuned = train(
            final,
            loss,
            rows,
            validation,
            runs,
            tuning,
            start=params,
            callbacks=callbacks,
            checkpoint=checkpoint and checkpoint.of_phase("fine-tuning"),
        )
        params, seconds = tuned.params, seconds + tuned.seconds
        fit.history.extend(tuned.history)
        if INTERRUPTED in tuned.status:
            status = [INTERRUPTED if s == FINISHED else s for s in status]
    validation_loss = evaluate(final, loss, params, validation)[0].double().cpu().numpy()
    return Choice(
        model=final,
        params=params,
        selections=selections,
        validation_loss=_usable(validation_loss, fit),
        importance=_importance(final, params, loss, validation),
        status=status,
        best_epoch=fit.best_epoch,
        history=fit.history,
        seconds=seconds,
    )


def answer_now(
    report: EpochReport, n_features: int, unique: bool
) -> tuple[FixedSelection, Params, list[Selection]] | None:
    """Return the model, its tensors and the selections if training had ended with this epoch.

    None for a model that has no decoder of the selected features yet.
    """
    if isinstance(report.model, SelectThenDecode):
        return _fixed(report.model, report.params, unique)
    if not isinstance(report.model, FixedSelection):
        return None
    features = report.params["buffer:features"].cpu().numpy()
    # The choice is past: what is selected has probability 1.
    certain = np.eye(n_features, dtype=np.float32)
    selections = [Selection(chosen, chosen, certain[chosen].max(0)) for chosen in features]
    return report.model, report.params, selections


def _fixed(
    model: SelectThenDecode, params: Params, unique: bool
) -> tuple[FixedSelection, Params, list[Selection]]:
    """Fix what every run selects; the decoders stay as they are."""
    selections = _selections(model, params, unique)
    features = stacked_features(selections).to(next(iter(params.values())).device)
    final = FixedSelection(model.decoder, model.n_selected, model.n_outputs)
    return final, final.start_from(params, features), selections


@torch.no_grad()
def _selections(model: SelectThenDecode, params: Params, unique: bool) -> list[Selection]:
    logits = model.logits(params)
    # NOTE[DIFF]: the paper evaluates the nodes' own choices, duplicates included (unique=False).
    chosen = logits.argmax(-1).cpu()
    probability = selection_probability(logits).cpu()
    return [
        Selection(
            chosen=chosen[run].numpy(),
            features=(_resolved(logits[run]) if unique else chosen[run]).numpy(),
            probability=probability[run].numpy(),
        )
        for run in range(len(logits))
    ]


def _resolved(logits: torch.Tensor) -> torch.Tensor:
    # A diverged run has no logits worth assigning; it is never the answer.
    return distinct_features(torch.nan_to_num(logits))


def _usable(validation_loss: NDArray[np.float64], fit: Fit) -> NDArray[np.float64]:
    usable = [math.isfinite(best) for best in fit.best_loss]
    return np.where(usable & np.isfinite(validation_loss), validation_loss, np.inf)


@torch.no_grad()
def _importance(
    model: FixedSelection, params: Params, loss: Loss, rows: Rows, n_rows: int = 2000
) -> NDArray[np.float64]:
    """Return the rise of the loss when one selected column is shuffled. Shape: (R, K)."""
    rows = rows.take(slice(n_rows))
    selected = hard_select(rows.inputs, params["buffer:features"])
    order = Stream([0]).uniform(len(rows))[0].argsort(stable=True).to(selected.device)

    def loss_of(values: torch.Tensor) -> torch.Tensor:
        outputs = model.decode(params, values)
        return mean_loss(loss.per_row(outputs, rows.targets), rows.weights)

    before = loss_of(selected)
    rises = []
    for node in range(selected.shape[-1]):
        shuffled = selected.clone()
        shuffled[:, :, node] = selected[:, order, node]
        rises.append(loss_of(shuffled) - before)
    return torch.stack(rises, dim=-1).double().cpu().numpy()
