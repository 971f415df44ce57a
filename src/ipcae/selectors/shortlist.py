"""Rank the features, then select jointly among the best of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Self

from ipcae.arrays import Integers
from ipcae.constraints import Constraints
from ipcae.models import Model
from ipcae.regularizers import FeatureCosts
from ipcae.selection import Selection
from ipcae.selectors.base import Method, Shape
from ipcae.selectors.candidates import (
    among_candidates,
    choice_of_all,
    selection_of_all,
    without_others,
)
from ipcae.selectors.classical.adaptive import Adaptive
from ipcae.selectors.classical.base import Ranking, rows_of_runs
from ipcae.selectors.classical.elimination import Elimination
from ipcae.selectors.classical.group_lasso import GroupLasso
from ipcae.selectors.classical.l1_logistic import L1Logistic
from ipcae.selectors.classical.rows_to_rank import MOST_RANKED
from ipcae.selectors.concrete import Concrete
from ipcae.selectors.joint import Joint
from ipcae.selectors.ranking_fallback import (
    better_selections,
    decoded,
    sufficient_selections,
    with_better,
)
from ipcae.selectors.shortlist_rankings import Rankings
from ipcae.tasks import Task
from ipcae.training import Choice, Phase, Problem, joined_choices
from ipcae.training.choices.joining import unfinished
from ipcae.training.progress.callbacks import advance, without_progress
from ipcae.training.states.state import INTERRUPTED

FEWEST_NOT_COMPARED = 5000
"""Number of rows: from this on, other rankings were not tried."""


@dataclass(frozen=True)
class Shortlist(Method):
    """A ranking keeps up to m · K of the best features, among which a joint method selects K.

    With few rows, a joint method has too little data to find a few of thousands of features, but
    it is better than a ranking at choosing features that complement each other.

    The shortlist has K (1 + (m − 1)(1 − δ)) features, where δ is the share of the columns'
    correlations that is sampling noise (:func:`noise_share`). If columns are independent,
    they do not complement each other, and the selection is that of the ranking.

    For classification with fewer than 5,000 rows, other rankings are also compared. If all features
    on the shortlist do not predict held-out rows better than the K best of a ranking by one
    standard error, or if K is 1, these are selected, and the joint method is not trained
    (:func:`sufficient_selections`).

    If the K best features of the ranking, or of another one, predict held-out rows better than
    those of the joint method (:func:`better_selections`), they are selected. This happens if many
    columns are redundant and the network selects irrelevant ones besides those that it needs, or
    if there are too few rows to train it.

    All runs that see the same rows share one shortlist. Runs with their own rows, such as the folds
    of a cross-validation, are trained one at a time. With limits or a budget, the joint method
    selects among all features, because K features of a shortlist may not satisfy them, and is
    compared with what the rankings select within them.

    The ranking sees at most 100,000 rows. Of a table that is read in parts, it sees a sample that
    fits into memory; the joint method reads all rows.

    Parameters
    ----------
    ranking : Ranking, default=Adaptive()
        The ranking that chooses the candidates.
    method : Joint, default=Concrete()
        The method that selects among the candidates.
    factor : int, default=3
        m, the largest number of candidates per feature to select.
    alternatives : tuple of Ranking, default=(Elimination(), GroupLasso(), L1Logistic())
        Other rankings whose K best features are compared with the selection.

    See Also
    --------
    Concrete : Nodes with a concrete distribution: CAE and IP-CAE.
    ipcae.selectors.Adaptive : The ranking that suits the table.
    ipcae.selectors.recommended : The default method for a table.

    Examples
    --------
    >>> Shortlist(factor=5).n_candidates(n_features=1000, n_selected=10)
    50
    """

    ranking: Ranking = Adaptive()
    method: Joint = Concrete()
    factor: int = 3
    alternatives: tuple[Ranking, ...] = (Elimination(), GroupLasso(), L1Logistic())

    phases = (Phase.RANKING, Phase.SELECTING)
    samples = True
    shares_rows = False
    few_candidates = True

    @property
    def needs(self) -> str | None:  # type: ignore[override]
        """What the ranking needs."""
        return self.ranking.needs

    @property
    def penalty_weight(self) -> float | tuple[float, ...]:
        """Weight of the joint method's penalty."""
        costs = self.ranking.costs
        return self.method.penalty_weight if costs is None else costs.weight

    def with_costs(self, costs: FeatureCosts) -> Self:
        """Return the method with soft penalties on features, in both parts."""
        self.method.with_costs(costs)  # or raise an error
        alternatives = tuple(ranking.with_costs(costs) for ranking in self.alternatives)
        return replace(self, ranking=self.ranking.with_costs(costs), alternatives=alternatives)

    def _joint(self, candidates: Integers | slice = slice(None)) -> Joint:
        """Return the joint method, with the costs of the candidates."""
        costs = self.ranking.costs
        return self.method if costs is None else self.method.with_costs(costs.among(candidates))

    def supports(self, task: type[Task]) -> bool:
        """Return whether both parts can be used for a task."""
        return self.ranking.supports(task) and self.method.supports(task)

    def n_candidates(self, n_features: int, n_selected: int) -> int:
        """Return the largest number of features on the shortlist."""
        return min(self.factor * n_selected, n_features)

    def models(self, shape: Shape) -> Sequence[Model]:
        """Return the models of the joint method."""
        return self.method.models(self._shorter(shape))

    def n_logits(self, shape: Shape) -> int:
        """Return the number of logits of the joint method."""
        return self.method.n_logits(self._shorter(shape))

    def sampling_bytes(self, shape: Shape, n_runs: int, batch_size: int, on_cpu: bool) -> int:
        """Return the memory that the joint method needs to sample."""
        return self.method.sampling_bytes(self._shorter(shape), n_runs, batch_size, on_cpu)

    def ranking_bytes(self, n_rows: int, n_features: int) -> int:
        """Return the memory that the ranking needs."""
        n_ranked, n_compared = min(n_rows, MOST_RANKED), min(n_rows, FEWEST_NOT_COMPARED)
        others = (each.ranking_bytes(n_compared, n_features) for each in self.alternatives)
        return max(self.ranking.ranking_bytes(n_ranked, n_features), *others, 0)

    def _shorter(self, shape: Shape) -> Shape:
        """Return the shape of the joint method; all groups may be as large as the largest."""
        n_units, width = self.n_candidates(shape.n_units, shape.n_selected), shape.width
        if width == 1:
            return replace(shape, n_features=n_units, constraints=None)
        groups = tuple(tuple(range(u * width, (u + 1) * width)) for u in range(n_units))
        columns = n_units * width
        return replace(shape, n_features=columns, constraints=Constraints(columns, groups=groups))

    def choose(self, problem: Problem) -> Choice:
        """Rank on all rows of the table, then let the joint method choose among the best."""
        kinds = rows_of_runs(problem)
        parts = [[r for r, kind in enumerate(kinds) if kind == one] for one in dict.fromkeys(kinds)]
        choices: list[Choice] = []
        for number, runs in enumerate(parts):
            if choices and INTERRUPTED in choices[-1].status:
                choices.append(unfinished(choices[0], len(runs)))
                continue
            try:
                choices.append(self._chosen(_part(problem, runs, number if parts[1:] else None)))
                advance(problem.callbacks, Phase.SELECTING, number + 1, len(parts))
            except KeyboardInterrupt:
                if not choices:
                    raise
                choices.append(unfinished(choices[0], len(runs)))
        return joined_choices(choices, parts)

    def _chosen(self, problem: Problem) -> Choice:
        """Choose features for runs with the same rows.

        The joint method is trained only for runs in which the rankings leave something to gain.
        """
        rankings = self.rankings(problem)
        sufficient: dict[int, Selection] = {}
        if rankings.candidates is not None and self._compared(problem):
            sufficient = sufficient_selections(problem, rankings.candidates, rankings.best)
        if not sufficient:
            return self._joint_or_better(problem, rankings)
        joint, own = self._among(problem, rankings)
        choice = decoded(problem, sufficient, joint.n_inputs(own), rankings.seconds)
        others = [run for run in range(len(problem.runs)) if run not in sufficient]
        if not others:
            return choice
        if INTERRUPTED in choice.status:
            rest = unfinished(choice, len(others))
        else:
            rest = self._joint_or_better(problem.of_runs(others), rankings.of_runs(others))
        return joined_choices([choice, rest], [list(sufficient), others])

    def _joint_or_better(self, problem: Problem, rankings: Rankings) -> Choice:
        """Let the joint method choose, among the candidates, unless a ranking predicts better."""
        joint, own = self._among(problem, rankings)
        shorter = None if problem.rows.streamed else rankings.candidates
        trained = joint.train(own)
        selections, better = trained.selections, dict[int, Selection]()
        if shorter is not None:
            n_features = problem.n_features
            selections = [selection_of_all(one, shorter, n_features) for one in selections]
        if INTERRUPTED not in trained.fit.status:
            better = better_selections(problem, selections, rankings.best, rankings.n_errors)
        kept = [run for run in range(len(selections)) if run not in better]
        if not kept:  # no decoder of the joint method is needed
            seconds = trained.fit.seconds + rankings.seconds
            return decoded(problem, better, joint.n_inputs(own), seconds)
        choice = joint.conclude(own.of_runs(kept), trained.of_runs(kept))
        choice = replace(choice, seconds=choice.seconds + rankings.seconds)
        if shorter is not None:
            choice = choice_of_all(choice, shorter, problem.n_features)
        return with_better(problem, choice, better)

    def _among(self, problem: Problem, rankings: Rankings) -> tuple[Joint, Problem]:
        """Return the joint method and its problem, whose features are the candidates.

        If rows are read in parts, all columns are read, but only candidates may be selected.
        """
        candidates = rankings.candidates
        if candidates is None:
            return self._joint(), problem
        if problem.rows.streamed:
            return self._joint(), without_others(problem, candidates)
        return self._joint(candidates), among_candidates(problem, candidates)

    def rankings(self, problem: Problem) -> Rankings:
        """Rank the features of a problem whose runs have the same rows."""
        most = self.n_candidates(len(problem.constraints.units), problem.n_selected)
        return Rankings.of(problem, self.ranking, self._compared(problem), most)

    def _compared(self, problem: Problem) -> list[Ranking]:
        """Return the other rankings, if they are compared."""
        task, n_rows = problem.task, len(problem.rows) + problem.held_out * len(problem.validation)
        if problem.rows.streamed or not task.discrete or n_rows >= FEWEST_NOT_COMPARED:
            return []
        return [ranking for ranking in self.alternatives if ranking.supports(type(task))]


def _part(problem: Problem, runs: list[int], number: int | None) -> Problem:
    """Return the problem of some runs; its checkpoints have their own folder."""
    own = problem.of_runs(runs)
    if number is None:
        return own
    checkpoint = problem.checkpoint
    if checkpoint is not None:
        checkpoint = replace(checkpoint, folder=checkpoint.folder / f"part-{number}")
    return replace(own, checkpoint=checkpoint, callbacks=without_progress(problem.callbacks))
