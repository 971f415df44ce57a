"""Choose features within a budget: few expensive ones, or many cheap ones."""

from __future__ import annotations

import numpy as np

from ipcae.arrays import Integers
from ipcae.constraints import Constraints
from ipcae.ridge import margin
from ipcae.selectors.classical.examples import Examples, Scores, weighted
from ipcae.selectors.classical.models.held_out import errors_of_columns
from ipcae.selectors.classical.unit_forward import added_units

FEWEST_ROWS = 50
"""Number of rows: with fewer, units that were added one by one predict no better."""

MOST_ROWS, MOST_ADDED = 3000, 100
"""Units are added on some of the rows; after a hundred of them, the ranking decides."""

RIDGE = 0.1
"""Penalty of the regressions to which units are added, per row."""


def best_within_budget(
    constraints: Constraints, scores: Scores, n_selected: int, examples: Examples
) -> Integers:
    """Return the units that predict held-out rows best, of several choices within the budget.

    The choices differ in how much more a unit of a high rank is worth than others
    (:meth:`Constraints.choices`): whether one good feature is better than several cheap ones
    depends on the table (benchmarks/budget.py). Shape: scores (units,) -> (at most K,).
    """
    choices = constraints.choices(scores, n_selected)
    columns = [constraints.columns(units) for units in choices]
    if len(choices) == 1 or min(map(len, columns)) == 0:
        return choices[0]
    errors = errors_of_columns(examples, columns)
    return choices[int(np.argmin([each.mean() for each in errors]))]


def with_additions(
    constraints: Constraints, ranked: Integers, scores: Scores, n_selected: int, examples: Examples
) -> Integers:
    """Return the units of a ranking, or units added one by one if they predict better.

    A ranking says what a unit is worth among all, and not what it adds to those that the budget
    allows: the copies of an expensive unit may have no score. Each unit added is the one that
    reduces the error of a ridge regression most, or most per cost. Better means by one standard
    error on held-out rows. Shape: ranked (at most K,), scores (units,) -> (at most K,).
    """
    if len(examples.inputs) < FEWEST_ROWS:
        return ranked
    some = examples.thinned(MOST_ROWS)
    inputs, targets = weighted(some.standardized(), balance=0.5)
    ridge, most = RIDGE * len(inputs), min(n_selected, MOST_ADDED)
    added = added_units(inputs, constraints, most, targets, ridge)
    choices = [ranked, *(constraints.with_others(units, scores, n_selected) for units in added)]
    columns = [constraints.columns(units) for units in choices]
    if min(map(len, columns)) == 0:
        return ranked
    first, *others = errors_of_columns(examples, columns)
    margins = [0.0, *(margin(errors, first, n_errors=1) for errors in others)]
    return choices[int(np.argmax(margins))]
