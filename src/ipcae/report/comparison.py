"""Comparison of the selected features with fewer, more, all and random features."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Any

import numpy as np
from torch import Tensor

from ipcae.errors import InputError
from ipcae.evaluation import (
    Interval,
    Sample,
    bootstrap_intervals,
    evaluate_selector,
    shuffled,
)
from ipcae.report.set_decoders import SetDecoders
from ipcae.tasks import Task

FEWEST_ROWS = 12
MOST_TRAINING_ROWS, MOST_HELD_OUT_ROWS = 2000, 5000
MOST_OUTPUTS = 2**22
"""Maximum of held-out rows × outputs of a decoder."""
N_RANDOM = 3


@dataclass(frozen=True)
class Comparison:
    """Scores of decoders on the same held-out rows, all trained in the same way.

    Attributes
    ----------
    scores : dict of int to float
        Scores by the number of top-ranked features.
    intervals : dict of int to (float, float)
        Their 95 % bootstrap intervals over the rows, if known.
    random : list of float
        Scores of K random features.
    without : dict of int to float
        Scores without one of the selected features, by its index; the most important ones if
        training without each of them would take too long.
    n_epochs : int
        Largest number of epochs; 0 if the decoders are computed instead of trained.
    own, baseline : float
        Scores of the selector's own decoder, and of a constant prediction.
    """

    n_selected: int
    scores: dict[int, float]
    intervals: dict[int, Interval]
    random: list[float]
    without: dict[int, float]
    own: float
    baseline: float
    n_training: int
    n_held_out: int
    n_epochs: int
    seconds: float

    @property
    def n_features(self) -> int:
        """The total number of features."""
        return max(self.scores)

    @property
    def all_features(self) -> float:
        """The score of all features."""
        return self.scores[self.n_features]


def sizes_to_compare(n_selected: int, n_features: int) -> list[int]:
    """Return the numbers of features to compare: 1, K/4, K/2, K, 2K and D.

    >>> sizes_to_compare(20, 100), sizes_to_compare(2, 3)
    ([1, 5, 10, 20, 40, 100], [1, 2, 3])
    """
    wanted = {1, n_selected // 4, n_selected // 2, n_selected, 2 * n_selected, n_features}
    return sorted(size for size in wanted if 1 <= size <= n_features)


def compare(selector: Any, held_out: Sample, training: Sample | None) -> Comparison | str:
    """Train and evaluate the decoders; return a sentence if this is not possible.

    Without training rows, the rows are split: two thirds for training, one third for evaluation.
    """
    if selector._interrupted:
        return "Not available: the training was interrupted."
    start = time.perf_counter()
    if training is None:
        order = shuffled(len(held_out), seed=0)
        n_held_out = len(held_out) // 3
        training, held_out = held_out.take(order[n_held_out:]), held_out.take(order[:n_held_out])
    if len(training) < FEWEST_ROWS or len(held_out) < 2:
        return "Not available: there are too few rows to train on."
    # In random order: the first of them are validation rows, and a table may be sorted by class.
    training = training.take(shuffled(len(training), seed=0)[:MOST_TRAINING_ROWS])
    most_rows = max(MOST_OUTPUTS // selector.model_.n_outputs, 200)
    held_out = held_out.at_most(min(MOST_HELD_OUT_ROWS, most_rows))
    try:
        return _trained(selector, held_out, training, start)
    except InputError as error:
        # A custom decoder may not support other numbers of features.
        return f"Not available: {error}"


def _trained(selector: Any, held_out: Sample, training: Sample, start: float) -> Comparison:
    ranked = np.argsort(selector.ranking_)
    n_selected, n_features = int(selector.get_support().sum()), len(ranked)
    decoders = SetDecoders.of(selector, training, held_out)
    best = {size: ranked[:size] for size in sizes_to_compare(n_selected, n_features)}
    usable = np.flatnonzero(decoders.sizes)
    n_random = N_RANDOM if n_selected < n_features else 0
    orders = [shuffled(len(usable), 1 + i).numpy() for i in range(n_random)]
    random = [usable[order[:n_selected]] for order in orders]
    n_dropped = decoders.affordable_sets(n_selected) if n_selected > 1 else 0
    selected = ranked[:n_selected]
    without = {feature: selected[selected != feature] for feature in ranked[:n_dropped].tolist()}
    outputs = iter(decoders.outputs([*best.values(), *random, *without.values()]))
    of_best = {size: next(outputs) for size in best}
    own = evaluate_selector(selector, held_out, training)
    problem = decoders.problem
    return Comparison(
        n_selected=n_selected,
        scores={size: decoders.score(each) for size, each in of_best.items()},
        intervals=_intervals(problem.task, of_best, held_out),
        random=[decoders.score(next(outputs)) for _ in random],
        without={feature: decoders.score(next(outputs)) for feature in without},
        own=own.score,
        baseline=own.baseline_score,
        n_training=len(problem.rows) + len(problem.validation),
        n_held_out=len(held_out),
        n_epochs=0 if decoders.solves else problem.plan.max_epochs,
        seconds=time.perf_counter() - start,
    )


def _intervals(task: Task, outputs: dict[int, Tensor], held_out: Sample) -> dict[int, Interval]:
    """Return the intervals of the scores that have one."""
    targets, groups = held_out.rows.targets, held_out.groups
    found = {
        size: bootstrap_intervals(task, each, targets, groups=groups)
        for size, each in outputs.items()
    }
    return {size: around[task.score] for size, around in found.items() if task.score in around}
