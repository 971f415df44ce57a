"""The result of a fit: K features for every run, and a decoder for them."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from ipcae.models import FixedSelection, Params, node_mask
from ipcae.schedules import Cosine
from ipcae.selection import Selection
from ipcae.training.history import History
from ipcae.training.importance import importance
from ipcae.training.phases import Phase
from ipcae.training.problem import Problem
from ipcae.training.state import FINISHED, INTERRUPTED
from ipcae.training.step import evaluate
from ipcae.training.trainer import Fit, train


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


def stacked_features(selections: list[Selection], n_selected: int) -> tuple[Tensor, Tensor | None]:
    """Return the features of all runs, padded with feature 0, and the mask of the others.

    The mask is None if all runs have K features. Shape: -> (R, K), (R, K).
    """
    counts = [len(selection.features) for selection in selections]
    features = np.zeros((len(selections), n_selected), dtype=np.int64)
    for run, selection in enumerate(selections):
        features[run, : counts[run]] = selection.features
    return torch.from_numpy(features), node_mask(counts, n_selected)


def conclude(problem: Problem, selections: list[Selection], fit: Fit) -> Choice:
    """Fine-tune the decoders on fixed selections, and evaluate them.

    ``fit`` is the result of the previous phase, with a decoder for every selection.
    """
    model = problem.final_model
    device = next(iter(fit.params.values())).device
    features, nodes = stacked_features(selections, problem.n_selected)
    nodes = None if nodes is None else nodes.to(device)
    params = model.start_from(fit.params, features.to(device), nodes)
    seconds, status = fit.seconds, fit.status
    if problem.fine_tune_epochs and INTERRUPTED not in status:
        tuned = _fine_tuned(problem, model, params)
        params, seconds = tuned.params, seconds + tuned.seconds
        fit.history.extend(tuned.history)
        if INTERRUPTED in tuned.status:
            status = [INTERRUPTED if s == FINISHED else s for s in status]
    losses, _ = evaluate(model, problem.loss, params, problem.validation)
    return Choice(
        model=model,
        params=params,
        selections=selections,
        validation_loss=_usable(losses.double().cpu().numpy(), fit),
        importance=importance(model, params, problem.loss, problem.validation),
        status=status,
        best_epoch=fit.best_epoch,
        history=fit.history,
        seconds=seconds,
    )


def _fine_tuned(problem: Problem, model: FixedSelection, params: Params) -> Fit:
    """Train the decoders with a decaying learning rate; the initial state is a candidate, too."""
    plan = replace(
        problem.plan, max_epochs=problem.fine_tune_epochs, schedule=Cosine(), patience=None
    )
    return train(model, replace(problem, plan=plan), Phase.FINE_TUNING, start=params)


def _usable(validation_loss: NDArray[np.float64], fit: Fit) -> NDArray[np.float64]:
    usable = [math.isfinite(best) for best in fit.best_loss]
    return np.where(usable & np.isfinite(validation_loss), validation_loss, np.inf)
