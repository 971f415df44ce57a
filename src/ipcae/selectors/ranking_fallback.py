"""Keep the selection of a joint method unless that of a ranking predicts better."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from ipcae.arrays import Integers
from ipcae.constraints import Constraints
from ipcae.ridge import margin
from ipcae.selection import Selection
from ipcae.selectors.classical.adaptive import Adaptive
from ipcae.selectors.classical.base import Examples
from ipcae.selectors.classical.models.held_out import errors_of_columns
from ipcae.selectors.classical.rows_to_rank import with_fewer_rows
from ipcae.training import Choice, Problem, decode, joined_choices
from ipcae.training.choices.joining import unfinished
from ipcae.training.fit import untrained
from ipcae.training.states.state import INTERRUPTED


def better_selections(
    problem: Problem,
    selections: Sequence[Selection],
    ranked: Sequence[Sequence[Selection]],
    n_errors: float,
) -> dict[int, Selection]:
    """Return, by run, the rankings' selections that predict held-out rows better.

    For every run, the columns of all selections predict held-out rows (:func:`errors_of_columns`).
    A selection of a ranking is better if its errors are smaller by ``n_errors`` standard errors; if
    several are, the one with the largest margin is returned.

    ``ranked`` has one or more selections per run; all runs have the same rows.
    """
    examples = Examples.of(with_fewer_rows(problem, Adaptive.copies))
    every = (*selections, *(one for others in ranked for one in others))
    sets = list(dict.fromkeys(map(_columns, every)))
    if len(sets) == 1 or not examples.targets.shape[1]:
        return {}
    errors = dict(zip(sets, errors_of_columns(examples, list(map(np.array, sets))), strict=True))
    found = {}
    for run, (joint, others) in enumerate(zip(selections, ranked, strict=True)):
        own = errors[_columns(joint)]
        margins = [margin(errors[_columns(other)], own, n_errors) for other in others]
        if max(margins) > 0:
            found[run] = others[int(np.argmax(margins))]
    return found


def sufficient_selections(
    problem: Problem, candidates: Integers, ranked: Sequence[Sequence[Selection]]
) -> dict[int, Selection]:
    """Return, by run, the best selection of the rankings if the candidates are hardly better.

    All candidates together predict held-out rows, and so do the columns of every ranking. If the
    errors of the candidates are not smaller by a standard error than those of the best ranking, a
    joint method that selects some of them has nothing to gain. Neither has it if a single feature
    is selected, which complements no other.
    """
    examples = Examples.of(with_fewer_rows(problem, Adaptive.copies))
    sets = list(dict.fromkeys(_columns(one) for others in ranked for one in others))
    every = [np.array(columns) for columns in sets]
    if not examples.targets.shape[1]:
        return {}
    of_all, *others = errors_of_columns(examples, [candidates, *every])
    errors = dict(zip(sets, others, strict=True))
    found = {}
    for run, selections in enumerate(ranked):
        best = min(selections, key=lambda one: errors[_columns(one)].mean())
        gain = margin(of_all, errors[_columns(best)], n_errors=1)
        if gain <= 0 or problem.counts[run] == 1:
            found[run] = best
    return found


def decoded(
    problem: Problem, better: dict[int, Selection], n_inputs: int, seconds: float
) -> Choice:
    """Return the choice of the runs in ``better``, with decoders trained from the start.

    The decoders have ``n_inputs`` inputs; ``seconds`` is the time that selecting has taken.
    """
    own = replace(problem.of_runs(list(better)), checkpoint=None)
    return decode(own, list(better.values()), untrained(len(better), seconds), n_inputs=n_inputs)


def with_better(problem: Problem, choice: Choice, better: dict[int, Selection]) -> Choice:
    """Return the choice of all runs, given that of the runs without a better selection."""
    if not better:
        return choice
    if INTERRUPTED in choice.status:
        others = unfinished(choice, len(better))
    else:
        others = decoded(problem, better, choice.model.n_selected, 0.0)
    kept = [run for run in range(len(problem.runs)) if run not in better]
    return joined_choices([choice, others], [kept, list(better)])


def _columns(selection: Selection) -> tuple[int, ...]:
    return tuple(sorted(selection.features.tolist()))


def best_units(constraints: Constraints, ranking: Selection, n_selected: int) -> Selection:
    """Return the best units of a longer ranking.

    >>> ranking = Selection.of(np.array([3, 1, 0]), n_features=5)
    >>> ranking.probability[1] = 0.5
    >>> best_units(Constraints(5), ranking, 2).features
    array([0, 3])
    """
    strength = ranking.probability[constraints.first_columns(np.arange(len(constraints.units)))]
    best = constraints.best(strength, n_selected)
    return Selection.of_units(constraints, best, strength, ranking.measure)
