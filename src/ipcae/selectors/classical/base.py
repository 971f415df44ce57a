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
from ipcae.training import Choice, Phase, Problem, decode
from ipcae.training.callbacks import announced
from ipcae.training.decoding import untrained

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
        return decode(problem, selections, untrained(n_runs, time.perf_counter() - start))

    def selection(self, problem: Problem, examples: Examples, seed: int) -> Selection:
        """Return the K features with the highest scores that the constraints allow."""
        constraints = problem.constraints
        scores = np.full(problem.n_features, -np.inf)
        preferred = constraints.preferred
        if len(preferred):
            # scikit-learn accepts seeds of 32 bits.
            scores[preferred] = self.scores(
                replace(examples, inputs=examples.inputs[:, preferred]),
                min(problem.n_to_choose, len(preferred)),
                seed % 2**32,
            )
        features = constraints.best(scores, problem.n_selected)
        return Selection(features, features, constraints.probability(_fractions(scores)))


def _fractions(scores: Scores) -> NDArray[np.float32]:
    """Divide the scores by the largest; features without a score get 0."""
    scores = np.where(np.isfinite(scores), scores, 0.0)
    return (scores / max(scores.max(), 1e-300)).astype(np.float32)


def mean_over_targets(examples: Examples, score: Callable[[NDArray[np.float64]], Scores]) -> Scores:
    """Average the scores of the individual targets, each of shape (N,). Shape: -> (D,)."""
    return np.mean([np.nan_to_num(score(target)) for target in examples.targets.T], axis=0)
