"""Train the decoders once more, on training and validation rows."""

from __future__ import annotations

from dataclasses import replace

import torch
from torch import Tensor

from ipcae.models import FixedSelection, Params
from ipcae.schedules import Cosine
from ipcae.training.choices.calibration import calibrated, is_calibrated
from ipcae.training.epochs.validation import evaluate
from ipcae.training.fit import Fit
from ipcae.training.phases import Phase
from ipcae.training.problem import Problem
from ipcae.training.progress.callbacks import EpochReport, advance, announced
from ipcae.training.states.history import curve
from ipcae.training.trainer import train

BEST = "best"
"""The value of ``refit`` with which only the best run is refitted."""

_ACCURACY = "accuracy"  # the metric of classes and labels
_TOLERANCE = 0.1
"""How much higher the loss may be at the end of a fine-tuning than before it."""


def refitted(problem: Problem, model: FixedSelection, start: Params, tuned: Fit, best: int) -> Fit:
    """Repeat the fine-tuning from its start, on all rows and to its end.

    ``tuned`` is the fine-tuning on the training rows, and ``best`` is the run that is refitted if
    only one is. A run that fine-tuning made worse (:func:`worth_refitting`) keeps the state it had,
    and so does a run whose training ends early. Callbacks see the progress, but no losses: there
    are no rows left to validate on.
    """
    worth = worth_refitting(problem, model, start, tuned).tolist()
    runs = [run for run, ok in enumerate(worth) if ok and (run == best or problem.refit != BEST)]
    if not runs:
        return replace(tuned, seconds=0.0)
    problem, start = problem.of_runs(runs), {name: each[runs] for name, each in start.items()}
    n_epochs = problem.fine_tune_epochs
    plan = replace(
        problem.plan, max_epochs=n_epochs, schedule=Cosine(), patience=None, keep_last=True
    )

    def show(report: EpochReport) -> None:
        advance(problem.callbacks, Phase.REFITTING, report.epoch + 1, report.max_epochs)

    everything = replace(problem, rows=problem.known_rows, plan=plan, callbacks=(show,))
    with announced(problem.callbacks, Phase.REFITTING):
        again = train(model, everything, Phase.REFITTING, start=start)
    params = again.params
    if is_calibrated(problem, model):
        params = calibrated(problem, model, start, plan, params)
    merged = {name: tensor.clone() for name, tensor in tuned.params.items()}
    for place, run in enumerate(runs):
        if again.best_epoch[place] == n_epochs - 1:
            for name, tensor in params.items():
                merged[name][run] = tensor[place]
    return replace(again, params=merged)


def worth_refitting(problem: Problem, model: FixedSelection, start: Params, tuned: Fit) -> Tensor:
    """Return whether the last epoch of a fine-tuning is as good as its start. Shape: -> (R,).

    The losses on the validation rows decide, unless all runs are refitted (:func:`is_compared`).
    A loss that is higher by less than a tenth is good enough: what the validation rows add to the
    training rows is worth more, above all if they are of other people
    (``docs/experiments/refitting.md``).
    """
    if not is_compared(problem):
        return torch.ones(len(problem.runs), dtype=torch.bool)
    before, _ = evaluate(model, problem.loss, start, problem.validation)
    history = tuned.history.columns()
    curves = [curve(history, "validation_loss", run) for run in range(len(before))]
    whole = [len(each) == problem.fine_tune_epochs for each in curves]
    last = [each[-1] if ok else torch.nan for each, ok in zip(curves, whole, strict=True)]
    before = before.cpu()
    return torch.tensor(last) < before + _TOLERANCE * before.abs()


def is_compared(problem: Problem) -> bool:
    """Return whether the validation loss decides which runs are refitted.

    It does not for classes: the loss of a few rows that are wrong with certainty rises while the
    accuracy does, and the accuracy of so few rows is too uncertain
    (``docs/experiments/refitting.md``).
    """
    return problem.loss.metric != _ACCURACY
