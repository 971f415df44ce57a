"""Comparison of our results with the published ones."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from paper.cell import Cell, cell
from paper.protocol import CLASSIFICATION, PAPER, RIVALS, factor

PUBLISHED: dict[str, Any] = json.loads(Path(__file__).with_name("published.json").read_text())

ACCURACY_POINTS, ERROR_FRACTION, DEVIATIONS = 0.7, 0.015, 2.0
WITHIN, BETTER, EXCEPTION, UNPUBLISHED = "within", "better", "**exception**", "not in the paper"
SHORTENED = "not the paper's protocol"


def published(own: Cell) -> tuple[float, float] | None:
    """Return the mean and standard deviation that the paper prints for a cell of its tables."""
    table = "classification_accuracy" if own.task == CLASSIFICATION else "reconstruction_error"
    entry = PUBLISHED[table].get(own.method.replace("-", "_"), {}).get(own.dataset)
    return (entry["mean"], entry["std"]) if entry else None


def tolerance(own: Cell, mean: float, std: float) -> float:
    """Return two of the paper's standard deviations, or 0.7 points / 1.5 % if that is larger."""
    fixed = ACCURACY_POINTS if own.task == CLASSIFICATION else ERROR_FRACTION * mean
    return max(DEVIATIONS * std, fixed)


def status(own: Cell, ours: float) -> str:
    """Return whether our mean is within the tolerance, better, or an exception.

    The number of runs may differ from the protocol's. STG and LassoNet depend on tuning: they are
    better if they are at least as good as published, otherwise an exception.
    """
    paper = published(own)
    if paper is None:
        return UNPUBLISHED
    if replace(own, n_runs=PAPER.n_runs) != cell(PAPER, own.dataset, own.task, own.method):
        return SHORTENED
    mean, std = paper
    gain = ours - mean if own.task == CLASSIFICATION else mean - ours
    limit = tolerance(own, mean, std)
    if own.method in RIVALS:
        return BETTER if gain >= 0 else EXCEPTION
    if gain > limit:
        return BETTER
    return WITHIN if gain >= -limit else EXCEPTION


def figure_text(own: Cell, mean: float, std: float) -> str:
    """Format mean and standard deviation: accuracy in percent, errors times 1000."""
    scale = factor(own.task)
    return f"{scale * mean:.2f} ± {scale * std:.2f}"


def runs_text(own: Cell, values: NDArray[np.float64]) -> str:
    """Format mean and standard deviation of the values of all runs."""
    return figure_text(own, *summary(values))


def summary(values: NDArray[np.float64]) -> tuple[float, float]:
    """Return mean and standard deviation over the runs that did not diverge."""
    return float(np.nanmean(values)), float(np.nanstd(values))
