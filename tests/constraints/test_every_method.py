"""No method ever violates a constraint, on random tables with random constraints."""

import warnings

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ipcae import (
    ClassificationSelector,
    InputError,
    ReconstructionSelector,
    RegressionSelector,
    TrainingWarning,
)
from ipcae.selectors import METHODS
from tests.constraints.strategies import constraint_arguments

SELECTORS = (ClassificationSelector, RegressionSelector, ReconstructionSelector)
QUICK = {"max_epochs": 1, "decoder": (3,), "batch_size": 16, "fine_tune": False, "random_state": 0}
# A forest takes a second.
METHOD_NAMES = [name for name in METHODS if name not in ("random-forest", "adaptive")]


@st.composite
def fits(draw):
    """Return a selector, a table and a target."""
    n, seed = draw(st.integers(2, 8)), draw(st.integers(0, 1000))
    rows = np.random.default_rng(seed).normal(size=(24, n))
    rows[:, draw(st.lists(st.integers(0, n - 1), max_size=2))] = 1.0
    rows[:, draw(st.lists(st.integers(1, n - 1), max_size=2))] = rows[:, :1]  # copies
    method = draw(st.sampled_from(METHOD_NAMES))
    kinds = [kind for kind in SELECTORS if METHODS[method].supports(kind._task)]
    kind = draw(st.sampled_from(kinds or [ClassificationSelector]))
    settings = {"method": method, "unique": draw(st.booleans()), "n_runs": 2, **QUICK}
    n_selected = draw(st.one_of(st.none(), st.integers(1, n)))
    selector = kind(n_selected, **draw(constraint_arguments(n)), **settings)
    return selector, rows, (rows[:, 0] + rows[:, -1] > 0).astype(int)


def check(selector, n_selected):
    """Check the selections of all runs without the code that made them."""
    labels = selector.feature_groups
    n = selector.n_features_in_
    unit = [f"single {c}" if labels is None or labels[c] is None else labels[c] for c in range(n)]
    for run in range(2):
        selected = set(selector.with_run(run).get_support(indices=True).tolist())
        units = {unit[column] for column in selected}
        assert selected == {column for column in range(n) if unit[column] in units}
        assert set(selector.include or ()) <= selected
        assert not set(selector.exclude or ()) & selected
        assert len(units) >= 1
        if n_selected is not None:
            assert len(units) <= n_selected
        for most, columns in selector.at_most or ():
            assert len({unit[column] for column in selected & set(columns)}) <= most
        if selector.budget is not None:
            paid = sum(selector.feature_costs[column] for column in selected)
            assert paid <= selector.budget + 1e-6


@settings(
    max_examples=250,
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much],
)
@given(fits())
def test_no_selection_violates_a_constraint(fit):
    selector, X, y = fit
    epochs = []
    selector.set_params(callbacks=epochs.append)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", TrainingWarning)
        try:
            selector.fit(X, y)
        except InputError as error:
            assert not epochs, error  # noqa: PT017
            return
    check(selector, selector.n_features_to_select)
    chosen = selector.transform(X)
    assert chosen.shape[1] == selector.get_support().sum()
    outputs = selector.decoder_outputs(chosen, selected=True).numpy()
    np.testing.assert_array_equal(outputs, selector.decoder_outputs(X).numpy())


@pytest.mark.parametrize("method", ["random-forest", "adaptive"])
def test_forests_respect_them_too(method):
    random = np.random.default_rng(0)
    X = random.normal(size=(24, 6))
    selector = ClassificationSelector(
        3,
        method=method,
        include=[5],
        exclude=[0],
        at_most=[(1, [1, 2])],
        feature_costs=[1, 1, 1, 2, 3, 1],
        budget=4,
        n_runs=2,
        **QUICK,
    ).fit(X, X[:, 0] > 0)
    check(selector, 3)
