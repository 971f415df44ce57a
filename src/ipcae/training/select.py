"""One way to a choice of features, whatever the method."""

from __future__ import annotations

from contextlib import nullcontext
from typing import Any

from ipcae.losses import Loss
from ipcae.models import RankThenDecode, ScreenThenDecode, SelectThenDecode
from ipcae.runs import Runs
from ipcae.training.choose import Choice, choose_features
from ipcae.training.plan import Plan
from ipcae.training.rank import rank_features
from ipcae.training.rows import Rows
from ipcae.training.screen import screen_features


def select_features(
    model: SelectThenDecode | ScreenThenDecode | RankThenDecode,
    loss: Loss,
    rows: Rows,
    validation: Rows,
    runs: Runs,
    plan: Plan,
    *,
    unique: bool = True,
    **options: Any,
) -> Choice:
    """Choose K features and train decoders on them, together or one after the other.

    ``unique`` concerns nodes that may choose the same feature; other methods never choose one
    twice. The options are those of :func:`choose_features`.
    """
    task = (loss, rows, validation, runs, plan)
    checkpoint = options.get("checkpoint")
    with nullcontext() if checkpoint is None else checkpoint.held():
        if isinstance(model, ScreenThenDecode):
            return screen_features(model, *task, **options)
        if isinstance(model, RankThenDecode):
            return rank_features(model, *task, **options)
        return choose_features(model, *task, unique=unique, **options)
