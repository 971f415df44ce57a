"""Constant columns are named, and selected only if nothing else is left."""

import warnings

import numpy as np
import pandas as pd
import pytest

from ipcae import ReconstructionSelector, RegressionSelector, TrainingWarning
from ipcae.selectors import METHODS
from ipcae.tasks import Reconstruction

NAMES = list("abcdef")


@pytest.fixture
def table(X):
    """Return a table of which b, c and e are constant."""
    return pd.DataFrame(X, columns=NAMES).assign(b=0.1, c=0, e=-1e9)


@pytest.mark.parametrize(
    "method",
    [name for name, method in METHODS.items() if method.supports(Reconstruction)],
)
@pytest.mark.parametrize("n_selected", [1, 3])
def test_constant_columns_are_not_selected_while_others_remain(table, quick, method, n_selected):
    selector = ReconstructionSelector(n_selected, n_runs=3, **quick | {"method": method})
    says = r"3 of 6 columns are constant .*\(b, c, e\): they will not be selected"
    with pytest.warns(TrainingWarning, match=says):
        selector.fit(table)
    for run in range(3):
        assert set(selector.with_run(run).get_feature_names_out()) <= {"a", "d", "f"}


@pytest.mark.parametrize(("n_selected", "n_constant"), [(4, 1), (5, 2), (6, 3)])
def test_constant_columns_fill_up_where_too_few_others_remain(table, quick, n_selected, n_constant):
    selector = ReconstructionSelector(n_selected, n_runs=3, **quick)
    says = f"{n_constant} of them had to be selected, since only 3 columns vary"
    with pytest.warns(TrainingWarning, match=says):
        selector.fit(table)
    for run in range(3):
        assert selector.with_run(run).get_support().sum() == n_selected
        assert {"a", "d", "f"} <= set(selector.with_run(run).get_feature_names_out())


def test_a_table_of_constants_can_be_fitted(quick):
    with pytest.warns(TrainingWarning, match="only 0 columns vary"):
        selector = ReconstructionSelector(2, **quick).fit(np.ones((50, 4)))
    assert selector.get_support().sum() == 2
    assert np.isfinite(selector.reconstruct(np.ones((50, 4)))).all()


def test_a_column_that_varies_in_the_validation_rows_alone_is_constant(X, quick):
    train, val = X[:60].copy(), X[60:]
    train[:, 2] = 7
    with pytest.warns(TrainingWarning, match=r"1 of 6 columns is constant .*\(2\)"):
        selector = ReconstructionSelector(5, **quick).fit(train, X_val=val)
    assert not selector.get_support()[2]


def test_the_warning_points_at_the_caller(table, quick):
    with pytest.warns(TrainingWarning) as caught:
        ReconstructionSelector(2, **quick).fit(table)
    assert [warning.filename for warning in caught] == [__file__]


def test_the_nodes_own_choices_are_not_restricted(X, quick):
    """As in the paper, where a node may choose a constant column."""
    X[:, 2:] = 0
    settings = quick | {"max_epochs": 1, "unique": False}
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        selector = RegressionSelector(6, n_runs=5, **settings).fit(X, X[:, 0])
    assert any((selection.chosen >= 2).any() for selection in selector.selections_)
