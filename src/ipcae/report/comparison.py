"""Comparison of the selected features with fewer, more, all and random features."""

from __future__ import annotations

import copy
import math
import time
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import torch
from torch import Tensor

from ipcae.devices import device_for
from ipcae.errors import InputError
from ipcae.evaluation import Sample, evaluate_selector, shuffled
from ipcae.runs import Runs, Stream
from ipcae.training import Phase, Plan, Problem, train
from ipcae.training.plan import auto_batch_size

FEWEST_ROWS = 12
MOST_TRAINING_ROWS, MOST_HELD_OUT_ROWS = 2000, 5000
MOST_EPOCHS, ENOUGH_STEPS = 60, 300
MOST_WORK = 1e11
"""Maximum of weights × rows × epochs, for the decoder of all features."""
N_RANDOM = 3


@dataclass(frozen=True)
class Comparison:
    """Scores of identically trained decoders on the same held-out rows.

    Attributes
    ----------
    scores : dict of int to float
        Scores by the number of top-ranked features.
    random : list of float
        Scores of K random features.
    own, baseline : float
        Scores of the selector's own decoder, and of a constant prediction.
    """

    n_selected: int
    scores: dict[int, float]
    random: list[float]
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
    if "interrupted" in selector.run_status_:
        return "Not available: the training was interrupted."
    start = time.perf_counter()
    if training is None:
        order = shuffled(len(held_out), seed=0)
        n_held_out = len(held_out) // 3
        training, held_out = held_out.take(order[n_held_out:]), held_out.take(order[:n_held_out])
    if len(training) < FEWEST_ROWS or len(held_out) < 2:
        return "Not available: there are too few rows to train on."
    training = training.at_most(MOST_TRAINING_ROWS)
    held_out = held_out.at_most(MOST_HELD_OUT_ROWS)
    try:
        return _trained(selector, held_out, training, start)
    except InputError as error:
        # A custom decoder may not support other numbers of features.
        return f"Not available: {error}"


def _trained(selector: Any, held_out: Sample, training: Sample, start: float) -> Comparison:
    ranked = np.argsort(selector.ranking_)
    n_selected, n_features = int(selector.get_support().sum()), len(ranked)
    trainer = _Trainer.of(selector, training, held_out)
    scores = {
        size: trainer.scores(torch.tensor(ranked[:size].copy())[None])[0]
        for size in sizes_to_compare(n_selected, n_features)
    }
    draws = [shuffled(n_features, seed)[:n_selected] for seed in range(1, 1 + N_RANDOM)]
    random = trainer.scores(torch.stack(draws)) if n_selected < n_features else []
    own = evaluate_selector(selector, held_out, training)
    return Comparison(
        n_selected=n_selected,
        scores=scores,
        random=random,
        own=own.score,
        baseline=own.baseline_score,
        n_training=len(trainer.problem.rows) + len(trainer.problem.validation),
        n_held_out=len(held_out),
        n_epochs=trainer.problem.plan.max_epochs,
        seconds=time.perf_counter() - start,
    )


@dataclass(frozen=True, eq=False)
class _Trainer:
    """The common settings of all decoders; ``problem`` has a single run."""

    problem: Problem
    held_out: Sample
    inputs: Tensor

    @classmethod
    def of(cls, selector: Any, training: Sample, held_out: Sample) -> _Trainer:
        device = _device(selector)
        n_validation = max(len(training) // 5, 1)
        rows = training.scaled(selector).to(device)
        # Copy the decoder, because a CustomDecoder caches a module for every size.
        decoder, n_outputs = copy.deepcopy(selector.model_.decoder), selector.model_.n_outputs
        n_weights = _count_weights(decoder, rows.inputs.shape[1], n_outputs)
        n_rows = len(training) - n_validation
        # Limit first the rows, then the epochs, to bound the time with many features.
        n_rows = min(n_rows, max(round(MOST_WORK / n_weights / 20), 500))
        batch_size = max(auto_batch_size(n_rows), min(64, n_rows // 8))
        n_epochs = max(30, math.ceil(ENOUGH_STEPS * batch_size / n_rows))
        affordable = max(round(MOST_WORK / n_weights / n_rows), 5)
        learning_rate = float(np.resize(selector.learning_rate, selector.best_run_ + 1)[-1])
        problem = Problem(
            task=selector.task_,
            loss=selector.task_.loss_for(selector.loss),
            rows=rows.take(slice(n_validation, n_validation + n_rows)),
            validation=rows.take(slice(n_validation)),
            runs=Runs.of([0], learning_rate),
            plan=Plan(
                max_epochs=min(n_epochs, MOST_EPOCHS, affordable, selector.max_epochs),
                batch_size=batch_size,
                patience=12,
            ),
            decoder=decoder,
        )
        return cls(problem, held_out, held_out.scaled(selector).inputs.to(device))

    def scores(self, features: Tensor) -> list[float]:
        """Train decoders on several sets of features and return their scores.

        Shape: features (R, size).
        """
        n_runs, size = features.shape
        runs = Runs.of(range(n_runs), self.problem.runs.learning_rates[0])
        problem = replace(self.problem, runs=runs, n_selected=size)
        model, device = problem.final_model, self.inputs.device
        start = {
            **model.init(Stream(runs.seeds, device=device)),
            "buffer:features": features.to(device),
        }
        fit = train(model, problem, Phase.DECODING, start=start)
        with torch.no_grad():
            outputs = model.predict(fit.params, self.inputs).double().cpu()
        task, targets = problem.task, self.held_out.rows.targets
        return [task.metrics(run, targets)[task.score] for run in outputs]


def _count_weights(decoder: Any, n_inputs: int, n_outputs: int) -> int:
    params = decoder.init(n_inputs, n_outputs, Stream([0]))
    return max(sum(tensor.numel() for tensor in params.values()), 1)


def _device(selector: Any) -> torch.device:
    try:
        return device_for(selector.device)
    except InputError:  # fitted on a machine with another device
        return torch.device("cpu")
