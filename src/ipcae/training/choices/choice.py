"""The result of a fit: K features for every run, and a decoder for them."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np
import torch
from torch import Tensor

from ipcae.arrays import Floats
from ipcae.models import FixedSelection, Params, node_mask
from ipcae.schedules import Cosine
from ipcae.selection import Selection
from ipcae.training.choices.adapting import USUAL
from ipcae.training.choices.importance import importance
from ipcae.training.choices.refitting import is_compared, refitted
from ipcae.training.epochs.validation import evaluate
from ipcae.training.fit import Fit
from ipcae.training.phases import Phase
from ipcae.training.problem import Problem
from ipcae.training.states.history import History
from ipcae.training.states.state import DIVERGED, INTERRUPTED
from ipcae.training.threads.side_by_side import parts_of
from ipcae.training.threads.thread_counts import limited_threads
from ipcae.training.threads.thread_pool import run_in_threads
from ipcae.training.trainer import train

_FEWEST_EPOCHS = 10  # without a lower validation loss, before the fine-tuning of a run stops


@dataclass(frozen=True)
class Choice:
    """The selection and the decoder of every run.

    Attributes
    ----------
    model : FixedSelection
        The final model.
    params : dict of str to Tensor
        Tensors of the final model, the run axis first.
    selections : list of Selection
        Selection of every run.
    validation_loss : array of shape (R,)
        Validation loss of the final model; infinite for a run without a usable state.
    importance : array of shape (R, K)
        Permutation importance of the selected features; NaN beyond the features of a run that
        selected fewer than K.
    status, best_epoch : list
        How every run ended, and the epoch of its selection.
    history : History
        History of all phases, with consecutive epochs.
    seconds : float
        Duration of all phases.
    decoders : list of str
        The kind of every run's decoder (:mod:`ipcae.training.choices.adapting`).
    """

    model: FixedSelection
    params: Params
    selections: list[Selection]
    validation_loss: Floats
    importance: Floats
    status: list[str]
    best_epoch: list[int]
    history: History
    seconds: float
    decoders: list[str]

    def of_runs(self, runs: list[int]) -> Choice:
        """Return the choice of some runs, renumbered in this order."""
        return replace(
            self,
            params={name: tensor[runs] for name, tensor in self.params.items()},
            selections=[self.selections[run] for run in runs],
            validation_loss=self.validation_loss[runs],
            importance=self.importance[runs],
            status=[self.status[run] for run in runs],
            best_epoch=[self.best_epoch[run] for run in runs],
            history=self.history.of_runs(runs),
            decoders=[self.decoders[run] for run in runs],
        )


def stacked_features(selections: list[Selection], n_inputs: int) -> tuple[Tensor, Tensor | None]:
    """Return the features of all runs, padded with feature 0, and the mask of the others.

    The mask is None if all runs have this many features. Shape: -> (R, n_inputs), (R, n_inputs).
    """
    counts = [len(selection.features) for selection in selections]
    features = np.zeros((len(selections), n_inputs), dtype=np.int64)
    for run, selection in enumerate(selections):
        features[run, : counts[run]] = selection.features
    return torch.from_numpy(features), node_mask(counts, n_inputs)


def conclude(
    problem: Problem, model: FixedSelection, selections: list[Selection], fit: Fit
) -> Choice:
    """Fine-tune the decoders on fixed selections, and evaluate them.

    With ``problem.refit``, the decoders, or only that of the best run, are then trained on the
    validation rows, too: what is measured on these rows is about the decoders before that.

    ``fit`` is the result of the previous phase, with the tensors of ``model``.
    """
    for selection, count in zip(selections, problem.counts, strict=True):
        problem.constraints.require(selection.features, count)
    status, later = fit.status, []
    start = params = fit.params
    tunes = problem.fine_tune_epochs and INTERRUPTED not in status
    if tunes and not _only_refits(problem):
        later.append(_fine_tuned(problem, model, start))
        params = later[-1].params
        fit.history.extend(later[-1].history)
    # Interrupted runs may be all that the user gets.
    interrupted = any(INTERRUPTED in phase.status for phase in (fit, *later))
    wanted = problem.importance or interrupted
    losses, measured = _measured(problem, model, params, selections, wanted)
    if problem.refit and tunes and not interrupted:
        best = int(np.argmin(_usable(losses, fit)))
        later.append(refitted(problem, model, start, [fit, *later][-1], best))
        params = later[-1].params
    if any(INTERRUPTED in phase.status for phase in later):
        status = [s if s == DIVERGED else INTERRUPTED for s in status]
    return Choice(
        model=model,
        params=params,
        selections=selections,
        validation_loss=_usable(losses, fit),
        importance=measured,
        status=status,
        best_epoch=fit.best_epoch,
        history=fit.history,
        seconds=fit.seconds + sum(phase.seconds for phase in later),
        decoders=[USUAL] * len(selections),
    )


def _fine_tuned(problem: Problem, model: FixedSelection, params: Params) -> Fit:
    """Train the decoders with a decaying learning rate; the initial state is also a candidate."""
    n_epochs = problem.fine_tune_epochs
    patience = max(n_epochs // 4, _FEWEST_EPOCHS) if _may_stop(problem) else None
    plan = replace(problem.plan, max_epochs=n_epochs, schedule=Cosine(), patience=patience)
    return train(model, replace(problem, plan=plan), Phase.FINE_TUNING, start=params)


def _only_refits(problem: Problem) -> bool:
    """Return whether the fine-tuning would only measure what nobody reads.

    It does if all runs are refitted in any case, and only their predictions are compared.
    """
    return problem.refit is True and not problem.importance and not is_compared(problem)


def _may_stop(problem: Problem) -> bool:
    """Return whether a run may stop before the last epoch of the fine-tuning.

    It may if the fine-tuning only serves to measure: because all runs are then refitted, or because
    the decoders are only compared, as those of folds. On a GPU, where every run that stops is a new
    captured step, that would take longer.
    """
    stops = problem.plan.patience is not None and problem.rows.inputs.device.type == "cpu"
    measures = bool(problem.refit) and not is_compared(problem)
    return stops and (measures or not problem.importance)


def _measured(
    problem: Problem,
    model: FixedSelection,
    params: Params,
    selections: list[Selection],
    with_importance: bool,
) -> tuple[Floats, Floats]:
    """Return the validation loss of every run, and the importance of its features or zeros.

    Runs that are trained in several threads are measured in several threads, too: on a busy CPU,
    the threads of an operation wait for each other (:mod:`ipcae.training.threads.thread_counts`).
    """

    def measure(runs: list[int]) -> tuple[Floats, Floats]:
        own, index = problem.of_runs(runs), torch.tensor(runs)
        tensors = {name: tensor[index.to(tensor.device)] for name, tensor in params.items()}
        losses, _ = evaluate(model, own.loss, tensors, own.validation)
        found = np.zeros((len(runs), model.n_selected))
        if with_importance:
            found = _importance(own, model, tensors, [selections[run] for run in runs])
        return losses.double().cpu().numpy(), found

    parts = parts_of(model, problem, params)
    one_run = {name: tensor[:1] for name, tensor in params.items()}
    if len(parts) == 1:
        with limited_threads(one_run, len(problem.validation)):  # products are computed run by run
            return measure(parts[0])
    results = run_in_threads(lambda n, interrupt: (measure(parts[n]), interrupt), len(parts))
    if results[0][1].requested:
        raise KeyboardInterrupt
    order = np.argsort([run for part in parts for run in part])
    losses, found = zip(*(result for result, _ in results), strict=True)
    return np.concatenate(losses)[order], np.concatenate(found)[order]


def _importance(
    problem: Problem, model: FixedSelection, params: Params, selections: list[Selection]
) -> Floats:
    """Return the importance of the features of every run, in their order, padded with NaN."""
    units = None
    nodes = params.get("buffer:nodes")
    used = [slice(None)] * len(selections) if nodes is None else list(nodes.cpu().numpy() != 0)
    if problem.constraints.groups:
        units = np.full((len(selections), model.n_selected), -1)
        for run, selection in enumerate(selections):
            parts = problem.constraints.units.split(selection.features)
            units[run, used[run]] = np.repeat(np.arange(len(parts)), [len(p) for p in parts])
    values = importance(model, params, problem.loss, problem.validation, units)
    padded = np.full(values.shape, np.nan)
    for run, selection in enumerate(selections):
        padded[run, : len(selection.features)] = values[run, used[run]]
    return padded


def _usable(validation_loss: Floats, fit: Fit) -> Floats:
    usable = [math.isfinite(best) for best in fit.best_loss]
    return np.where(usable & np.isfinite(validation_loss), validation_loss, np.inf)
