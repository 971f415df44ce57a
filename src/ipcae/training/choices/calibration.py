"""Temperature scaling of decoders that predict classes.

A decoder that is trained to the end on few rows is too certain. Its outputs are divided by a
temperature T (Guo et al., *On Calibration of Modern Neural Networks*, ICML 2017), which changes the
probabilities, but not which class is the most probable.

T is estimated on the validation rows. The refitted decoder has learned these rows, so T is that of
a decoder that is trained in the same way without them. As they are few, log₂ T has a normal prior.
"""

from __future__ import annotations

from dataclasses import replace

import torch
from torch import Tensor

from ipcae.losses import mean_loss, row_losses
from ipcae.models import FixedSelection, Params, join, part
from ipcae.training.epochs.validation import outputs_of
from ipcae.training.phases import Phase
from ipcae.training.plan import Plan
from ipcae.training.problem import Problem
from ipcae.training.trainer import train

FEW_ROWS = 300
"""With at least this many rows, decoders are trained with mixup, and T is near 1."""

_LOGARITHMS = [i / 4 for i in range(13)]  # T from 1 to 8
_MEAN, _DEVIATION = 0.5, 0.5  # of the prior


def is_calibrated(problem: Problem, model: FixedSelection) -> bool:
    """Return whether the outputs are logits that the decoder can scale, and the rows few."""
    logits = getattr(problem.loss, "outputs_are_logits", False)
    return logits and hasattr(model.decoder, "scaled") and len(problem.rows) < FEW_ROWS


def calibrated(
    problem: Problem, model: FixedSelection, start: Params, plan: Plan, params: Params
) -> Params:
    """Return the refitted decoders, with outputs divided by the temperature of their run.

    ``start`` and ``plan`` are the start and the plan of the refitting.
    """
    held_out = replace(problem, plan=plan, callbacks=(), checkpoint=None)
    fit = train(model, held_out, Phase.REFITTING, start=start)
    factors = 1 / temperatures(problem, model, fit.params)
    whole = torch.tensor(fit.best_epoch, device=factors.device) == plan.max_epochs - 1
    factors = torch.where(whole, factors, 1.0)
    decoder = getattr(model.decoder, "scaled")(part(params, "decoder"), factors)  # noqa: B009
    return {**params, **join(decoder=decoder)}


@torch.no_grad()
def temperatures(problem: Problem, model: FixedSelection, params: Params) -> Tensor:
    """Return the most probable temperature of every run, given the validation rows. -> (R,)."""
    rows = problem.validation
    outputs = outputs_of(model, params, rows)
    logarithms = torch.tensor(_LOGARITHMS)
    losses = [
        mean_loss(
            row_losses(problem.loss, outputs / 2**logarithm, rows.targets, rows.weights),
            rows.weights,
        )
        for logarithm in _LOGARITHMS
    ]
    n_rows = len(rows) if rows.weights is None else (rows.weights > 0).sum(-1)
    likelihood = (n_rows * torch.stack(losses).nan_to_num()).cpu()
    prior = (logarithms - _MEAN).square() / (2 * _DEVIATION**2)
    best = (likelihood + prior.unsqueeze(1)).min(0).indices
    return 2 ** logarithms[best].to(outputs.device)
