"""The rankings behind a shortlist: its candidates, and the selections that it has to beat."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from ipcae.arrays import Integers
from ipcae.constraints import Constraints
from ipcae.runs import Runs
from ipcae.selection import Selection
from ipcae.selectors.classical.base import Examples, Ranking
from ipcae.selectors.classical.rows_to_rank import with_fewer_rows
from ipcae.selectors.classical.statistics.noise_share import noise_share
from ipcae.selectors.ranking_fallback import best_units
from ipcae.training import Phase, Problem
from ipcae.training.progress.callbacks import announced


class Rankings(NamedTuple):
    """What the rankings select.

    ``candidates`` are the columns of the shortlist; None means all. ``best`` has one or more
    selections per run, which replace that of the joint method if they are better by ``n_errors``
    standard errors. ``seconds`` is the time that ranking has taken.
    """

    candidates: Integers | None
    best: list[list[Selection]]
    n_errors: int
    seconds: float

    @classmethod
    def of(
        cls, problem: Problem, ranking: Ranking, others: Sequence[Ranking], most: int
    ) -> Rankings:
        """Rank the features, and keep at most ``most`` units as candidates.

        With limits or a budget, all are candidates.
        """
        start = time.perf_counter()
        candidates: Integers | None = None
        given, counts = problem.constraints, set(problem.counts)
        best: dict[int, list[Selection]] = {}
        with announced(problem.callbacks, Phase.RANKING):
            fewer = with_fewer_rows(problem, ranking.copies)
            if given.at_most or given.budget is not None:
                for count in counts:
                    best[count] = [_selected(each, fewer, count) for each in (ranking, *others)]
            else:
                ranked, longer = _shorter_and_longer(ranking, fewer, most)
                candidates = _columns(longer, given)
                every = ranked, *(_selected(each, fewer, problem.n_selected) for each in others)
                for count in counts:
                    best[count] = [best_units(given, each, count) for each in every]
        seconds = time.perf_counter() - start
        of_runs = [best[count] for count in problem.counts]
        return cls(candidates, of_runs, 0 if others else 2, seconds)

    def of_runs(self, runs: list[int]) -> Rankings:
        """Return what the rankings select for some runs, without the time, which is that of all."""
        return self._replace(best=[self.best[run] for run in runs], seconds=0.0)


def _shorter_and_longer(
    ranking: Ranking, problem: Problem, most: int
) -> tuple[Selection, Selection]:
    """Return what a ranking selects: K features, and as many as the shortlist has."""
    n_selected = problem.n_selected
    correlated = 1 - noise_share(Examples.of(problem).inputs)
    n_candidates = n_selected + round((most - n_selected) * correlated)
    found = {count: _selected(ranking, problem, count) for count in {n_selected, n_candidates}}
    return found[n_selected], found[n_candidates]


def _selected(ranking: Ranking, problem: Problem, count: int) -> Selection:
    """Return what a ranking selects, with one seed for all runs, so that they share it."""
    once = replace(problem.of_runs([0]), runs=Runs.of([problem.plan.order_seed]))
    (selection,) = filter(None, ranking.selections(replace(once, n_selected=count)))
    return selection


def _columns(ranking: Selection, given: Constraints) -> Integers:
    """Return the columns of the shortlist and of all groups, in ascending order."""
    grouped = [column for group in given.groups for column in group]
    return np.union1d(ranking.features, np.setdiff1d(grouped, given.excluded)).astype(int)
