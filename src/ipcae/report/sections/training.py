"""Training curves and a table of the runs."""

from __future__ import annotations

from typing import Any

import numpy as np
from markupsafe import Markup

from ipcae.report.charts.curves import draw_curves
from ipcae.report.templates import render
from ipcae.text import number
from ipcae.training import Phase


def draw_training(selector: Any) -> Markup:
    """Return the charts and a table of the runs."""
    best = selector.best_run_
    return render(
        "training",
        curves=draw_curves(selector.history_, best, selector.best_epoch_[best]),
        best_run=best,
        trained=not _computed(selector),
        keeps_epoch=selector.best_epoch_[best] >= 0,
        rows=[_row(selector, run) for run in range(len(selector.selections_))],
    )


def _computed(selector: Any) -> bool:
    """Return whether the decoders were computed: the only epoch measured them."""
    loss = selector.task_.loss_for(selector.loss)
    linear = getattr(selector.model_.decoder, "hidden", None) == ()
    phases = set(selector.history_["phase"].tolist())
    return linear and selector.task_.solves(loss) and phases <= {str(Phase.DECODING)}


def _row(selector: Any, run: int) -> tuple[str, ...]:
    best, other = selector.selection_.support(), selector.selections_[run].support()
    epoch = selector.best_epoch_[run] + 1
    return (
        f"{run}\u00a0(best)" if run == selector.best_run_ else str(run),
        str(selector.run_seeds_[run]),
        selector.run_status_[run],
        str(epoch) if epoch else "–",
        number(float(selector.validation_loss_[run]), 4),
        f"{selector.selections_[run].unique_percentage:.0f}\u00a0%",
        f"{int(np.logical_and(best, other).sum())} of {int(best.sum())}",
    )
