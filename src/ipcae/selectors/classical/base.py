"""Rankings: methods that score every feature without training a network."""

from __future__ import annotations

import time
from abc import abstractmethod
from collections.abc import Hashable, Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import chain
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from torch import Tensor

from ipcae.arrays import Booleans, Integers
from ipcae.selection import Selection
from ipcae.selectors.base import Penalized
from ipcae.selectors.classical.cores import within_cores
from ipcae.selectors.classical.examples import Examples, Scores, mean_over_targets
from ipcae.selectors.classical.penalized_scores import limited_scores, penalized_scores
from ipcae.selectors.classical.statistics.unexplained import unexplained_by_ridge
from ipcae.selectors.classical.within_budget import best_within_budget
from ipcae.sources import StreamedRows
from ipcae.training import Choice, Phase, Problem, decode
from ipcae.training.fit import left_out, untrained
from ipcae.training.progress.callbacks import advance, announced

__all__ = ["Examples", "Ranking", "Scores", "mean_over_targets", "rows_of_runs"]

_BLOCKS = 2**24  # bytes that do not depend on the table, such as blocks of pairs of columns


@dataclass(frozen=True)
class Ranking(Penalized):
    """A method that scores features; decoders are trained on the K best.

    The features are scored on all rows of the user's table, including those held out to choose the
    epoch of the decoders: a ranking does not choose between epochs, and with few rows every row
    counts. The validation loss is therefore optimistic about the selection; rows that were not
    passed to ``fit`` give an honest estimate.

    ``random`` is whether the scores depend on the seed, and ``sized`` whether they depend on K.
    Runs share one ranking if everything that the scores depend on is the same. ``copies`` is the
    maximum number of float64 tables of the size of the rows that are needed to compute the scores
    (measured). ``linear`` is whether the scores measure linear relations, at least to begin with:
    if features are included, the others are then scored by their residuals given the included ones.
    Other scores are not adjusted.

    Parameters
    ----------
    costs : FeatureCosts, optional
        Soft penalties on features: scores are multiplied by :attr:`FeatureCosts.factors`. Features
        that drop out of the best K because of this are removed, and the others are scored again, so
        that similar features can replace them.

    See Also
    --------
    selectors.Anova : An F-test of every column.
    selectors.Shortlist : A joint method among the best features of a ranking.

    Examples
    --------
    >>> @dataclass(frozen=True)
    ... class Spread(Ranking):
    ...     random = False
    ...
    ...     def scores(self, examples, n_selected, seed):
    ...         return examples.inputs.std(0)
    >>> from sklearn.datasets import load_iris
    >>> from ipcae import ClassificationSelector
    >>> X, y = load_iris(return_X_y=True)
    >>> selector = ClassificationSelector(2, method=Spread(), max_epochs=1, random_state=0)
    >>> selector.fit(X, y).get_support(indices=True).tolist()
    [0, 2]
    """

    phases = (Phase.RANKING, Phase.DECODING)
    samples = True
    few_candidates = True
    random: ClassVar[bool]
    measure = "score"
    sized: ClassVar[bool] = True
    linear: ClassVar[bool] = False
    copies: ClassVar[float] = 4.0

    def ranking_bytes(self, n_rows: int, n_features: int) -> int:
        """Return the memory of all rows in float32 and float64, and of what the scores need."""
        return int((4 + 8 + 8 * self.copies) * n_rows * n_features) + _BLOCKS

    @abstractmethod
    def scores(self, examples: Examples, n_selected: int, seed: int) -> Scores:
        """Return non-negative scores that are higher for better features. Shape: -> (D,)."""

    def scores_of_parts(self, parts: Iterable[tuple[Tensor, Tensor]], discrete: bool) -> Scores:
        """Return the scores in one pass over inputs and targets; for rankings that stream."""
        raise NotImplementedError

    def choose(self, problem: Problem) -> Choice:
        """Score the features on all rows of the table, then train decoders on the K best."""
        start = time.perf_counter()
        with announced(problem.callbacks, Phase.RANKING), within_cores():
            selections = self.selections(problem)
        ranked = untrained(len(selections), time.perf_counter() - start)
        done = [selection for selection in selections if selection is not None]
        if len(done) < len(selections):
            ranked = left_out(ranked, [run for run, s in enumerate(selections) if s is None])
        return decode(problem, [s or done[0] for s in selections], ranked)

    def selections(self, problem: Problem) -> list[Selection | None]:
        """Select the best features of every run; compute each ranking only once.

        After Ctrl-C, runs whose ranking was not finished have None; if none was, the interrupt is
        raised.
        """
        rows, n_done = rows_of_runs(problem), 0
        keys = [
            (kind, seed if self.random else 0, count if self.sized else 0)
            for kind, seed, count in zip(rows, problem.runs.seeds, problem.counts, strict=True)
        ]
        in_parts = problem.rows.streamed and self.streams
        selections: list[Selection | None] = [None] * len(keys)
        try:
            for kind in dict.fromkeys(rows):  # hold one copy of the rows at a time
                run = rows.index(kind)
                examples = None if in_parts else Examples.of(problem, run, self.copies)
                for key in dict.fromkeys(key for key in keys if key[0] == kind):
                    runs = [run for run, other in enumerate(keys) if other == key]
                    for run, selection in self._ranked(problem, examples, runs).items():
                        selections[run] = selection
                    n_done += 1
                    advance(problem.callbacks, Phase.RANKING, n_done, len(set(keys)))
        except KeyboardInterrupt:
            if not n_done:
                raise
        return selections

    def _ranked(
        self, problem: Problem, examples: Examples | None, runs: list[int]
    ) -> dict[int, Selection]:
        """Return the selections of runs that share a ranking, which may differ in K."""
        seed, count = problem.runs.seeds[runs[0]], problem.counts[runs[0]]
        if examples is None:
            scores = self._streamed_scores(problem)
        else:
            scores = self._scores(problem, examples, count, seed)
        of_units = problem.constraints.units.largest(scores)
        best = {
            count: Selection.of_units(
                problem.constraints,
                self._units(problem, examples, of_units, count),
                _fractions(of_units),
                self.measure,
            )
            for count in {problem.counts[run] for run in runs}
        }
        return {run: best[problem.counts[run]] for run in runs}

    def _units(
        self, problem: Problem, examples: Examples | None, of_units: NDArray[Any], count: int
    ) -> Integers:
        """Return the units with the best scores or, within a budget, those that predict best."""
        given, task = problem.constraints, problem.task
        if examples is None or not task.supervised or task.censored or not given.binds(count):
            return given.best(of_units, count)
        return best_within_budget(given, of_units, count, examples)

    def _streamed_scores(self, problem: Problem) -> Scores:
        """Return the scores of all columns of a table that is read in parts. Shape: (D,)."""
        given = problem.constraints
        columns = np.setdiff1d(given.columns(given.preferred), given.avoided)
        scores = np.zeros(problem.n_features)
        scores[columns] = self.scores_of_parts(_parts_of(problem), problem.task.discrete)[columns]
        return scores if self.costs is None else scores * self.costs.factors

    def _scores(self, problem: Problem, examples: Examples, count: int, seed: int) -> Scores:
        """Return the scores of all columns, 0 for those that are not chosen from. Shape: (D,)."""
        given = problem.constraints
        columns = np.setdiff1d(given.columns(given.preferred), given.avoided)
        chosen = examples.with_columns(columns)
        if self.linear and given.included:
            included = examples.inputs[:, list(given.included)]
            left = unexplained_by_ridge(chosen.inputs, included)
            if (varying := np.flatnonzero(left.any(0))).size:
                chosen = replace(chosen, inputs=left, given=included).with_columns(varying)
                columns = columns[varying]
        scores = np.zeros(problem.n_features)
        n_left = max(given.n_to_choose(count), 1)

        def of(kept: Booleans) -> Scores:
            # scikit-learn accepts seeds of 32 bits.
            of_kept = np.zeros(len(columns))
            some = chosen.with_columns(np.flatnonzero(kept))
            of_kept[kept] = self.scores(some, min(n_left, some.n_units(kept[kept])), seed % 2**32)
            return of_kept

        if len(columns):
            factors = None if self.costs is None else self.costs.factors[columns]
            scores[columns] = penalized_scores(of, factors, len(columns), n_left)
            if given.at_most and factors is None and not given.binds(count):
                scores[columns] = limited_scores(of, scores[columns], columns, given, count)
        return scores


def _parts_of(problem: Problem) -> Iterator[tuple[Tensor, Tensor]]:
    """Yield inputs and targets of all rows that may be ranked by, some rows at a time."""
    rows = problem.rows
    assert isinstance(rows, StreamedRows)
    held_out = [problem.validation] if problem.held_out else []
    for part in chain(rows.parts(None, rows.source.block_sizes), held_out):
        targets = problem.task.ranking_targets(part.targets)
        yield part.inputs, targets.reshape(len(part), -1)


def rows_of_runs(problem: Problem) -> list[Hashable]:
    """Return a value per run that is the same for runs with the same rows."""
    weights = problem.known_rows.weights if problem.rows.differ else None
    if weights is None:
        return [0] * len(problem.runs)
    return [own.tobytes() for own in weights.cpu().numpy()]


def _fractions(scores: NDArray[Any]) -> NDArray[np.float32]:
    """Divide the scores by the largest."""
    return (scores / max(scores.max(), 1e-300)).astype(np.float32)
