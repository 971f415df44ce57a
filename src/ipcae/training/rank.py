"""Ranking: a classical method scores the features; decoders learn from the K best."""

from __future__ import annotations

import time

import numpy as np
from numpy.typing import NDArray

from ipcae.losses import Loss
from ipcae.models import RankThenDecode
from ipcae.runs import Runs
from ipcae.selection import Selection
from ipcae.selectors.classical import Examples
from ipcae.training.batches import whole_batches
from ipcae.training.callbacks import Callback
from ipcae.training.checkpoint import Checkpoint
from ipcae.training.choose import Choice
from ipcae.training.decode import decode_selections
from ipcae.training.history import History
from ipcae.training.plan import Plan
from ipcae.training.rows import Rows
from ipcae.training.state import FINISHED
from ipcae.training.trainer import Fit


def rank_features(
    model: RankThenDecode,
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
    """Score the features on the training rows, then train decoders on the K best.

    A ranking that does not depend on the seed is made once, for all runs.
    """
    if checkpoint is not None:
        checkpoint.of_phase("decoding").prepare()
    began = time.perf_counter()
    examples = _examples(rows, discrete=loss.metric == "accuracy")
    seeds = runs.seeds if model.ranking.random else runs.seeds[:1]
    selections = [_selection(model, examples, seed) for seed in seeds]
    if len(selections) < len(runs):
        selections = selections * len(runs)
    before = Fit(
        params={},
        best_loss=[0.0] * len(runs),
        best_epoch=[-1] * len(runs),
        status=[FINISHED] * len(runs),
        history=History(),
        seconds=time.perf_counter() - began,
    )
    return decode_selections(
        model.final,
        selections,
        before,
        loss,
        rows,
        whole_batches(validation, plan),
        runs,
        plan,
        fine_tune_epochs=fine_tune_epochs,
        callbacks=callbacks,
        checkpoint=checkpoint,
    )


def _examples(rows: Rows, discrete: bool) -> Examples:
    inputs = rows.inputs.double().cpu().numpy()
    targets = rows.targets.double().cpu().numpy().reshape(len(inputs), -1)
    if rows.targets is rows.inputs:
        targets = targets[:, :0]
    weights = None if rows.weights is None else rows.weights.double().cpu().numpy()
    return Examples(inputs, targets, discrete, weights)


def _selection(model: RankThenDecode, examples: Examples, seed: int) -> Selection:
    scores = np.full(model.n_features, -np.inf)
    kept = np.setdiff1d(np.arange(model.n_features), model.excluded)
    if len(kept):
        # NumPy's seeds, which scikit-learn uses, have 32 bits.
        scores[kept] = model.ranking.scores(
            Examples(
                examples.inputs[:, kept], examples.targets, examples.discrete, examples.weights
            ),
            min(model.n_selected, len(kept)),
            seed % 2**32,
        )
    features = np.argsort(-scores, kind="stable")[: model.n_selected]
    return Selection(chosen=features, features=features, probability=_fractions(scores))


def _fractions(scores: NDArray[np.float64]) -> NDArray[np.float32]:
    """Divide by the largest score; features that were never scored have none."""
    scores = np.where(np.isfinite(scores), scores, 0.0)
    return (scores / max(scores.max(), 1e-300)).astype(np.float32)
