"""Rankings: methods that score every feature without training a network."""

from __future__ import annotations

import time
from abc import abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from ipcae.selection import Selection
from ipcae.selectors.base import Method
from ipcae.training import Choice, Fit, History, Phase, Problem, decode
from ipcae.training.callbacks import announced
from ipcae.training.state import FINISHED

Scores = NDArray[np.float64]


@dataclass(frozen=True)
class Examples:
    """The rows that a ranking sees, as arrays.

    Shape: inputs (N, D); targets (N, T), or (N, 0) for reconstruction; weights (N,) or None.
    """

    inputs: NDArray[np.float64]
    targets: NDArray[np.float64]
    discrete: bool
    weights: NDArray[np.float64] | None = None

    @classmethod
    def of(cls, problem: Problem) -> Examples:
        """Return all rows of the user's table as arrays."""
        rows = problem.known_rows
        inputs = rows.inputs.double().cpu().numpy()
        targets = inputs[:, :0]
        if rows.given_targets is not None:
            targets = rows.given_targets.double().cpu().numpy().reshape(len(inputs), -1)
        weights = None if rows.weights is None else rows.weights.double().cpu().numpy()
        return cls(inputs, targets, problem.task.discrete, weights)


class Ranking(Method):
    """A method that scores features; decoders are trained on the K best.

    The features are scored on all rows of the user's table, including those held out to choose the
    epoch of the decoders: a ranking does not choose between epochs, and with few rows every row
    counts. The validation loss is therefore optimistic about the selection; rows that were not
    passed to ``fit`` give an honest estimate.

    ``random`` is whether the scores depend on the seed. If not, all runs share one ranking.
    """

    phases = (Phase.RANKING, Phase.DECODING)
    random: ClassVar[bool]

    @abstractmethod
    def scores(self, examples: Examples, n_selected: int, seed: int) -> Scores:
        """Return non-negative scores that are higher for better features. Shape: -> (D,)."""

    def choose(self, problem: Problem) -> Choice:
        """Score the features on all rows of the table, then train decoders on the K best."""
        n_runs, seeds = len(problem.runs), problem.runs.seeds
        start = time.perf_counter()
        with announced(problem.callbacks, Phase.RANKING):
            examples = Examples.of(problem)
            used = seeds if self.random else seeds[:1]
            selections = [self.selection(problem, examples, seed) for seed in used]
        if len(selections) < n_runs:
            selections = selections * n_runs
        ranked = Fit(
            params={},
            best_loss=[0.0] * n_runs,
            best_epoch=[-1] * n_runs,
            status=[FINISHED] * n_runs,
            history=History(),
            seconds=time.perf_counter() - start,
        )
        return decode(problem, selections, ranked)

    def selection(self, problem: Problem, examples: Examples, seed: int) -> Selection:
        """Return the K features with the highest scores; excluded ones only if there are no others."""
        scores = np.full(problem.n_features, -np.inf)
        included = np.setdiff1d(np.arange(problem.n_features), problem.excluded)
        if len(included):
            # scikit-learn accepts seeds of 32 bits.
            scores[included] = self.scores(
                replace(examples, inputs=examples.inputs[:, included]),
                min(problem.n_selected, len(included)),
                seed % 2**32,
            )
        features = np.argsort(-scores, kind="stable")[: problem.n_selected]
        return Selection(chosen=features, features=features, probability=_fractions(scores))


def _fractions(scores: Scores) -> NDArray[np.float32]:
    """Divide the scores by the largest; excluded features get 0."""
    scores = np.where(np.isfinite(scores), scores, 0.0)
    return (scores / max(scores.max(), 1e-300)).astype(np.float32)


def mean_over_targets(examples: Examples, score: Callable[[NDArray[np.float64]], Scores]) -> Scores:
    """Average the scores of the individual targets, each of shape (N,). Shape: -> (D,)."""
    return np.mean([np.nan_to_num(score(target)) for target in examples.targets.T], axis=0)
