"""Train the decoders once more, on the validation rows as well."""

from __future__ import annotations

from dataclasses import replace

import torch

from ipcae.models import FixedSelection, Params
from ipcae.schedules import Cosine
from ipcae.training.callbacks import EpochReport, advance, announced
from ipcae.training.phases import Phase
from ipcae.training.problem import Problem
from ipcae.training.trainer import Fit, train


def refitted(problem: Problem, model: FixedSelection, start: Params, tuned: Fit) -> Fit:
    """Repeat the fine-tuning from its start on all rows, up to the epoch that was best before.

    ``tuned`` is the fine-tuning on the training rows. A run for which that did not help, or that
    does not reach its best epoch, keeps the state it had. Callbacks see the progress, but no
    losses: there are no rows left to validate on.
    """
    if max(tuned.best_epoch) < 0:
        return tuned
    plan = replace(
        problem.plan,
        max_epochs=problem.fine_tune_epochs,
        schedule=Cosine(),
        patience=None,
        keep_epochs=tuple(tuned.best_epoch),
    )

    def show(report: EpochReport) -> None:
        advance(problem.callbacks, Phase.REFITTING, report.epoch + 1, report.max_epochs)

    everything = replace(problem, rows=problem.known_rows, plan=plan, callbacks=(show,))
    with announced(problem.callbacks, Phase.REFITTING):
        again = train(model, everything, Phase.REFITTING, start=start)
    reached = torch.tensor(again.best_epoch) == torch.tensor(tuned.best_epoch)
    return replace(again, params=_either(reached, again.params, tuned.params))


def _either(first: torch.Tensor, ours: Params, theirs: Params) -> Params:
    """Return our tensors for the runs that are True, and theirs for the others. Shape: (R,)."""
    runs = first.nonzero().flatten()
    merged = {name: tensor.clone() for name, tensor in theirs.items()}
    for name, tensor in merged.items():
        index = runs.to(tensor.device)
        tensor[index] = ours[name][index]
    return merged
