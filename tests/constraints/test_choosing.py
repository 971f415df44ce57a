"""The choice satisfies all constraints, and is close to the best one."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ipcae.constraints import Constraints, read_constraints, require_feasible
from ipcae.constraints.violations import violation
from ipcae.errors import InputError
from tests.constraints.strategies import constraint_arguments


@st.composite
def problems(draw):
    """Return names, random arguments and K for a table of a few columns."""
    n = draw(st.integers(2, 9))
    names = [f"c{i}" for i in range(n)]
    arguments = draw(constraint_arguments(n))
    scores = draw(st.lists(st.sampled_from([0.0, 1.0, 2.0, 3.5]), min_size=n, max_size=n))
    return names, arguments, draw(st.integers(1, n)), np.array(scores)


def sets_that_fit(constraints, n_selected):
    """Return all sets of K candidates, or of up to K within a budget, that violate nothing."""
    n_others = n_selected - len(constraints.included_units)
    sizes = [n_others] if constraints.budget is None else range(n_others + 1)
    for size in sizes:
        for others in combinations(constraints.candidates.tolist(), max(size, 0)):
            units = [*constraints.included_units, *others]
            if units and violation(constraints, constraints.columns(units), n_selected) is None:
                yield others


@settings(max_examples=400, deadline=None)
@given(problems())
def test_what_is_chosen_fits_and_what_cannot_be_is_refused(problem):
    names, arguments, n_selected, scores = problem
    try:
        constraints = read_constraints(names, **arguments)
    except InputError:  # included and excluded, or all excluded
        assert arguments["exclude"]
        return
    left = len(constraints.units) - len(np.unique(constraints.unit_of[[*constraints.excluded]]))
    try:
        require_feasible(constraints, n_selected, names)
    except InputError:
        assert n_selected > left or not any(sets_that_fit(constraints, n_selected))
        return
    of_units = constraints.units.largest(scores)
    units = constraints.best(of_units, n_selected)
    constraints.require(constraints.columns(units), n_selected)
    overlapping = max(map(len, constraints.limits_of)) > 1
    fitting = list(sets_that_fit(constraints, n_selected))
    assert fitting or overlapping or constraints.budget is not None
    if constraints.budget is None and not overlapping:
        assert len(units) == n_selected
        best = max(sum(of_units[list(others)]) for others in fitting)
        chosen = units[len(constraints.included_units) :]
        assert sum(of_units[chosen]) == pytest.approx(best)


@settings(max_examples=200, deadline=None)
@given(
    st.lists(st.floats(0.01, 10), min_size=3, max_size=9),
    st.floats(0.05, 0.9),
    st.integers(1, 9),
    st.randoms(use_true_random=False),
)
def test_within_a_budget_the_value_is_close_to_the_best(costs, share, n_selected, random):
    n = len(costs)
    order = random.sample(range(n), n)
    scores = np.array([n - order.index(unit) for unit in range(n)], dtype=float)
    constraints = Constraints(n, costs=tuple(costs), budget=share * sum(costs))
    chosen = constraints.best(scores, min(n_selected, n))
    assert sum(costs[unit] for unit in chosen) <= constraints.budget * (1 + 1e-6)
    if not constraints.binds(min(n_selected, n)):
        return
    ranked = [unit for unit in order if unit in constraints.candidates]
    value = {unit: 1 / np.sqrt(rank) for rank, unit in enumerate(ranked, start=1)}
    best = max(
        (sum(value[unit] for unit in units) for units in sets_that_fit(constraints, n_selected)),
        default=0,
    )
    # The bound of the method: at most the value of one unit is lost.
    assert sum(value[unit] for unit in chosen) >= best - 1 - 1e-9
    assert len(chosen) > 0 or not ranked


def test_equal_costs_and_a_budget_of_k_choose_the_best_k():
    scores = np.random.default_rng(0).normal(size=30)
    constraints = Constraints(30, costs=(2.0,) * 30, budget=14.0)
    np.testing.assert_array_equal(
        constraints.best(scores, 7), np.argsort(-scores, kind="stable")[:7]
    )
    assert not constraints.binds(7)
    assert constraints.binds(8)
