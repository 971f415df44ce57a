"""Keep the selection of a joint method unless that of a ranking predicts better."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ipcae.constraints import Constraints
from ipcae.selection import Selection
from ipcae.selectors.classical.adaptive import Adaptive
from ipcae.selectors.classical.base import Examples
from ipcae.selectors.classical.examples import with_fewer_rows
from ipcae.selectors.classical.held_out import predict_better
from ipcae.training import Choice, Problem, decode, joined_choices
from ipcae.training.decoding import untrained
from ipcae.training.state import INTERRUPTED


def better_of(problem: Problem, choice: Choice, ranked: list[Selection]) -> Choice:
    """Return the choice with the ranking's selections where they predict held-out rows better.

    The two sets of columns of every run are compared by :func:`predict_better`. Decoders are
    trained on a ranking's selection from the start, with as many inputs as those of the choice.

    ``ranked`` has one selection per run; all runs have the same rows.
    """
    examples = Examples.of(with_fewer_rows(problem, Adaptive.copies))
    if INTERRUPTED in choice.status or not examples.targets.shape[1]:
        return choice
    runs = [
        run
        for run, (own, other) in enumerate(zip(choice.selections, ranked, strict=True))
        if set(own.features) != set(other.features)
        and predict_better(examples, other.features, own.features)
    ]
    if not runs:
        return choice
    kept = [run for run in range(len(ranked)) if run not in runs]
    decoded = decode(
        replace(problem.of_runs(runs), checkpoint=None),
        [ranked[run] for run in runs],
        untrained(len(runs), choice.seconds if not kept else 0.0),
        n_inputs=choice.model.n_selected,
    )
    if not kept:
        return decoded
    return joined_choices([_of_runs(choice, kept), decoded], [kept, runs])


def _of_runs(choice: Choice, runs: list[int]) -> Choice:
    """Return the choice of some runs."""
    return replace(
        choice,
        params={name: tensor[runs] for name, tensor in choice.params.items()},
        selections=[choice.selections[run] for run in runs],
        validation_loss=choice.validation_loss[runs],
        importance=choice.importance[runs],
        status=[choice.status[run] for run in runs],
        best_epoch=[choice.best_epoch[run] for run in runs],
        history=choice.history.of_runs(runs),
    )


def best_units(constraints: Constraints, ranking: Selection, n_selected: int) -> Selection:
    """Return the best units of a longer ranking.

    >>> ranking = Selection.of(np.array([3, 1, 0]), n_features=5)
    >>> ranking.probability[1] = 0.5
    >>> best_units(Constraints(5), ranking, 2).features
    array([0, 3])
    """
    strength = ranking.probability[constraints.first_columns(np.arange(len(constraints.units)))]
    return Selection.of_units(constraints, constraints.best(strength, n_selected), strength)
