"""Comparison of the selected features with fewer, more, all and random features."""

from __future__ import annotations

import copy
import time
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from ipcae.devices import device_for
from ipcae.errors import InputError
from ipcae.evaluation import (
    Interval,
    Sample,
    bootstrap_intervals,
    evaluate_selector,
    shuffled,
)
from ipcae.runs import Runs, Stream
from ipcae.training import Phase, Plan, Problem, train
from ipcae.training.choices.solving import can_be_solved, solved
from ipcae.training.plan import auto_batch_size, auto_epochs

FEWEST_ROWS = 12
MOST_TRAINING_ROWS, MOST_HELD_OUT_ROWS = 2000, 5000
MOST_OUTPUTS = 2**22
"""Maximum of held-out rows × outputs of a decoder."""
MOST_WORK = 5e10
"""Maximum of weights × rows × epochs × runs, for the decoders of all features."""
FEWEST_EPOCHS = 60
"""Train fewer runs before training for fewer epochs than this."""
MOST_RUNS = 2
"""Decoders for every set of features: the better one is evaluated."""
N_RANDOM = 3
MOST_WITHOUT = 30
MOST_PADDED = 64
"""Sets of up to this many features are trained together, the smaller ones with zero inputs."""


@dataclass(frozen=True)
class Comparison:
    """Scores of decoders on the same held-out rows, all trained alike.

    For every set of features, ``n_runs`` decoders are trained, and the one with the lowest
    validation loss is evaluated.

    Attributes
    ----------
    scores : dict of int to float
        Scores by the number of top-ranked features.
    intervals : dict of int to (float, float)
        Their 95 % bootstrap intervals over the rows, as far as they are known.
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
    n_runs: int
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
    trainer = _Trainer.of(selector, training, held_out)
    sizes = sizes_to_compare(n_selected, n_features)
    best = [torch.tensor(ranked[:size].copy()) for size in sizes]
    usable = torch.from_numpy(np.flatnonzero(trainer.sizes))
    n_random = N_RANDOM if n_selected < n_features else 0
    draws = [usable[shuffled(len(usable), seed)[:n_selected]] for seed in range(1, 1 + n_random)]
    dropped = ranked[: trainer.affordable_sets(n_selected)].tolist() if n_selected > 1 else []
    rest = [torch.tensor([f for f in ranked[:n_selected] if f != each]) for each in dropped]
    outputs = trainer.outputs([*best, *draws, *rest])
    found = [trainer.score(each) for each in outputs]
    intervals = {}
    for size, each in zip(sizes, outputs, strict=False):
        around = bootstrap_intervals(
            trainer.problem.task, each, held_out.rows.targets, groups=held_out.groups
        )
        if trainer.problem.task.score in around:
            intervals[size] = around[trainer.problem.task.score]
    scores, found = dict(zip(sizes, found, strict=False)), found[len(sizes) :]
    random, without = found[:n_random], dict(zip(dropped, found[n_random:], strict=True))
    own = evaluate_selector(selector, held_out, training)
    return Comparison(
        n_selected=n_selected,
        scores=scores,
        intervals=intervals,
        random=random,
        without=without,
        own=own.score,
        baseline=own.baseline_score,
        n_training=len(trainer.problem.rows) + len(trainer.problem.validation),
        n_held_out=len(held_out),
        n_epochs=0 if trainer.solves else trainer.problem.plan.max_epochs,
        n_runs=len(trainer.problem.runs),
        seconds=time.perf_counter() - start,
    )


@dataclass(frozen=True, eq=False)
class _Trainer:
    """The common settings of all decoders; ``problem`` has the runs of one set of features."""

    problem: Problem
    held_out: Sample
    inputs: Tensor
    owner: NDArray[np.int64]
    n_features: int

    @property
    def sizes(self) -> NDArray[np.int64]:
        """The number of inputs of the decoder for every feature; 0 if it is left out."""
        return np.bincount(self.owner, minlength=self.n_features)

    @property
    def solves(self) -> bool:
        """Whether the decoders are computed instead of trained."""
        return can_be_solved(self.problem)

    @classmethod
    def of(cls, selector: Any, training: Sample, held_out: Sample) -> _Trainer:
        device = _device(selector)
        n_validation = max(len(training) // 5, 1)
        rows = training.scaled(selector).to(device)
        # Copy the decoder, because a CustomDecoder caches a module for every size.
        decoder, n_outputs = copy.deepcopy(selector.model_.decoder), selector.model_.n_outputs
        n_weights = _count_weights(decoder, rows.inputs.shape[1], n_outputs)
        n_rows = len(training) - n_validation
        # Limit first the rows, then the runs, then the epochs, to bound the time.
        n_rows = min(n_rows, max(round(MOST_WORK / n_weights / 20), 500))
        affordable = max(round(MOST_WORK / n_weights / n_rows), 5)
        n_epochs = min(_decoder_epochs(selector), affordable)
        n_runs = min(MOST_RUNS, len(selector.selections_))
        n_runs = min(n_runs, max(affordable // min(n_epochs, FEWEST_EPOCHS), 1))
        n_epochs = min(n_epochs, affordable // n_runs)
        batch_size = max(auto_batch_size(n_rows), min(64, n_rows // 8))
        learning_rate = float(np.resize(selector.learning_rate, selector.best_run_ + 1)[-1])
        problem = Problem(
            task=selector.task_,
            loss=selector.task_.loss_for(selector.loss),
            rows=rows.take(slice(n_validation, n_validation + n_rows)),
            validation=rows.take(slice(n_validation)),
            runs=Runs.of(range(n_runs), learning_rate),
            plan=Plan(max_epochs=n_epochs, batch_size=batch_size, patience=max(n_epochs // 10, 10)),
            decoder=decoder,
        )
        expansion = getattr(selector.scaler_, "expansion", None)
        n_features = selector.n_features_in_
        owner = np.arange(n_features) if expansion is None else expansion.owner
        inputs = held_out.scaled(selector).inputs.to(device)
        return cls(problem, held_out, inputs, owner, n_features)

    def affordable_sets(self, size: int) -> int:
        """Return how many sets of this many features can be trained, at most all and 30.

        Up to twice as many as the time allows are trained if these are all.
        """
        problem = self.problem
        n_weights = _count_weights(problem.decoder, size, problem.task.n_outputs)
        steps = len(problem.rows) * problem.plan.max_epochs * len(problem.runs)
        affordable = int(MOST_WORK / (n_weights * steps))
        return min(size if size <= 2 * affordable else affordable, size, MOST_WITHOUT)

    def score(self, outputs: Tensor) -> float:
        """Return the score of outputs for the held-out rows."""
        task = self.problem.task
        return task.metrics(outputs, self.held_out.rows.targets)[task.score]

    def outputs(self, sets: list[Tensor]) -> list[Tensor]:
        """Train decoders on several sets of features; return the outputs of the best of each.

        Sets of equal size are the runs of one batch, and so are all sets of few features if the
        decoder can do without some of its inputs.
        """
        padded = MOST_PADDED if hasattr(self.problem.decoder, "narrowed") else 0
        kinds = [0 if len(each) <= padded else len(each) for each in sets]
        found: dict[int, Tensor] = {}
        for kind in dict.fromkeys(kinds):
            places = [i for i, other in enumerate(kinds) if other == kind]
            found |= zip(places, self._batch([sets[i] for i in places]), strict=True)
        return [found[i] for i in range(len(sets))]

    def _batch(self, sets: list[Tensor]) -> list[Tensor]:
        """Train decoders on several sets of features in one batch."""
        n_runs, n_sets = len(self.problem.runs), len(sets)
        seeds = list(self.problem.runs.seeds) * n_sets
        runs = Runs.of(seeds, self.problem.runs.learning_rates[0])
        places = [np.flatnonzero(np.isin(self.owner, each)) for each in sets]
        if (self.sizes == 1).all():
            places = [each.numpy() for each in sets]  # in the order of the ranks
        counts = [len(each) for each in places for _ in range(n_runs)]
        problem = replace(self.problem, runs=runs, n_selected=max(counts))
        model, device = problem.final_model, self.inputs.device
        features = torch.zeros(len(counts), max(counts), dtype=torch.long, device=device)
        for run, count in enumerate(counts):
            features[run, :count] = torch.from_numpy(places[run // n_runs].copy())
        start = model.narrowed(model.init(Stream(runs.seeds, device=device)), counts)
        start["buffer:features"] = features
        if self.solves:
            params = solved(problem, start, problem.rows.joined(problem.validation))
            losses = [0.0] * len(counts)
        else:
            fit = train(model, problem, Phase.DECODING, start=start)
            params, losses = fit.params, fit.best_loss
        best = np.reshape(losses, (n_sets, n_runs)).argmin(1)
        with torch.no_grad():
            outputs = model.predict(params, self.inputs)
        return [
            outputs[place * n_runs + run].double().cpu() for place, run in enumerate(best.tolist())
        ]


def _decoder_epochs(selector: Any) -> int:
    """Return the number of epochs that a decoder of the selector was trained for."""
    epochs = selector.history_["epoch"]
    return int(epochs.max()) + 1 if len(epochs) else auto_epochs(0)


def _count_weights(decoder: Any, n_inputs: int, n_outputs: int) -> int:
    params = decoder.init(n_inputs, n_outputs, Stream([0]))
    return max(sum(tensor.numel() for tensor in params.values()), 1)


def _device(selector: Any) -> torch.device:
    try:
        return device_for(selector.device)
    except InputError:  # fitted on a machine with another device
        return torch.device("cpu")
