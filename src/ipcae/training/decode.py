"""The second phase of methods that select first: new decoders on the selected features."""

from __future__ import annotations

import math
from dataclasses import replace

import torch

from ipcae.errors import InputError
from ipcae.losses import Loss
from ipcae.models import FixedSelection
from ipcae.runs import Runs, Stream
from ipcae.selection import Selection
from ipcae.training.callbacks import Callback
from ipcae.training.checkpoint import Checkpoint
from ipcae.training.choose import Choice, conclude, stacked_features
from ipcae.training.history import History
from ipcae.training.plan import Plan
from ipcae.training.rows import Rows
from ipcae.training.state import DIVERGED, FINISHED, INTERRUPTED
from ipcae.training.trainer import Fit, train


def decode_selections(
    final: FixedSelection,
    selections: list[Selection],
    before: Fit,
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
    """Train a new decoder for every selection, fine-tune it, and measure it.

    ``before`` tells how the selections came about. After a Ctrl-C in that phase the decoders learn
    for one epoch only.
    """
    device = rows.inputs.device
    params = final.init(Stream(runs.seeds, device=device))
    params["buffer:features"] = stacked_features(selections).to(device)
    checkpoint = checkpoint and checkpoint.of_phase("decoding")
    decoding = plan
    if INTERRUPTED in before.status:
        checkpoint, decoding = None, replace(plan, max_epochs=1)
    fit = train(
        final,
        loss,
        rows,
        validation,
        runs,
        decoding,
        start=params,
        callbacks=callbacks,
        checkpoint=checkpoint,
    )
    if not torch.equal(fit.params["buffer:features"], params["buffer:features"]):
        raise InputError(
            "The checkpoint belongs to a selection of other features: resume with the same method, "
            "or choose another folder."
        )
    return conclude(
        final,
        fit.params,
        selections,
        _joined(before, fit),
        loss,
        rows,
        validation,
        runs,
        plan,
        fine_tune_epochs=fine_tune_epochs,
        callbacks=callbacks,
        checkpoint=checkpoint,
    )


def _joined(before: Fit, fit: Fit) -> Fit:
    """Tell of two phases as of one; a run without a usable state in either is unusable."""
    history = History()
    history.extend(before.history)
    history.extend(fit.history)
    status = [
        later if earlier == FINISHED else earlier
        for earlier, later in zip(before.status, fit.status, strict=True)
    ]
    best_loss = [
        math.inf if not math.isfinite(earlier) or (epoch < 0 and state == DIVERGED) else later
        for earlier, later, epoch, state in zip(
            before.best_loss, fit.best_loss, fit.best_epoch, fit.status, strict=True
        )
    ]
    return Fit(
        params=fit.params,
        best_loss=best_loss,
        best_epoch=before.best_epoch,
        status=status,
        history=history,
        seconds=before.seconds + fit.seconds,
    )
