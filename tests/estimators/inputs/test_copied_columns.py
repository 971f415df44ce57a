"""Two of the K places are not spent on copies of one column while there are others."""

import numpy as np
import pandas as pd
import pytest

from ipcae import ClassificationSelector, ReconstructionSelector, RegressionSelector, SelectorCV
from ipcae.selectors import METHODS
from ipcae.tasks import Regression

NAMES = ["a", "b", "c", "d", "same as b", "b in another unit"]


@pytest.fixture
def table(X):
    """Return a table in which b decides, and is there three times."""
    copies = {NAMES[4]: X[:, 1], NAMES[5]: 1.8 * X[:, 1] + 32}
    return pd.DataFrame(X[:, :4], columns=NAMES[:4]).assign(**copies)


def selected(selector):
    return set(selector.get_feature_names_out())


@pytest.mark.parametrize(
    "method", [name for name, method in METHODS.items() if method.supports(Regression)]
)
def test_one_of_several_copies_is_selected(table, quick, method):
    selector = RegressionSelector(2, **quick | {"method": method}).fit(table, table["b"])
    assert not selected(selector) & set(NAMES[4:])


@pytest.mark.parametrize("n_selected", [5, 6])
def test_copies_fill_up_where_too_few_others_remain(table, quick, n_selected):
    selector = ReconstructionSelector(n_selected, **quick).fit(table)
    assert selected(selector) >= set(NAMES[:4])
    assert len(selected(selector)) == n_selected


def test_an_included_copy_takes_the_place_of_the_original(table, quick):
    selector = RegressionSelector(2, include=[NAMES[4]], **quick).fit(table, table["b"])
    assert selected(selector) & {"b", *NAMES[4:]} == {NAMES[4]}


def test_both_are_selected_if_both_are_included(table, quick):
    wanted = ["b", NAMES[4]]
    selector = RegressionSelector(2, include=wanted, **quick).fit(table, table["b"])
    assert selected(selector) == set(wanted)


def test_the_copy_of_an_excluded_column_can_be_selected(table, quick):
    settings = quick | {"method": "lasso"}
    selector = RegressionSelector(1, exclude=["b"], **settings).fit(table, table["b"])
    assert selected(selector) == {NAMES[4]}


def test_the_cheapest_copy_is_selected(table, quick):
    settings = quick | {"method": "lasso", "budget": 3, "feature_costs": [1, 3, 1, 1, 2, 1]}
    selector = RegressionSelector(1, **settings).fit(table, table["b"])
    assert selected(selector) == {NAMES[5]}


def test_categories_that_divide_the_rows_alike_are_copies(table, quick):
    sex = np.where(table["b"] > 0, "f", "m")
    mixed = table[["a", "c", "d"]].assign(sex=sex, female=(sex == "f").astype(int))
    selector = ClassificationSelector(2, **quick | {"method": "anova"}).fit(mixed, sex)
    assert "sex" in selected(selector)
    assert "female" not in selected(selector)


def test_a_cross_validation_avoids_copies_too(table, quick):
    learner = RegressionSelector(**quick | {"method": "lasso"})
    search = SelectorCV(learner, n_features_to_select=[2], cv=2).fit(table, table["b"])
    for fold in range(2):
        assert not search.cv_results_[f"split{fold}_support"][:, 4:].any()


def test_the_nodes_own_choices_are_not_restricted(table, quick):
    settings = quick | {"max_epochs": 1, "unique": False}
    selector = RegressionSelector(6, n_runs=5, **settings).fit(table, table["b"])
    assert any((selection.chosen >= 4).any() for selection in selector.selections_)
