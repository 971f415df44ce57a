"""Costs with a budget, and limits on how many of some columns are selected."""

import numpy as np
import pandas as pd
import pytest

from ipcae import ClassificationSelector, InputError, RegressionSelector, load
from ipcae.selectors import METHODS
from ipcae.tasks import Classification

NAMES = list("abcdefgh")
COSTS = dict(zip(NAMES, [5.0, 1.0, 1.0, 2.0, 0.5, 3.0, 0.0, 10.0], strict=True))
QUICK = {"max_epochs": 2, "decoder": (4,), "random_state": 0}
SUPERVISED = [name for name, method in METHODS.items() if method.supports(Classification)]


@pytest.fixture(scope="module")
def table():
    rows = np.random.default_rng(0).normal(size=(60, len(NAMES)))
    return pd.DataFrame(rows, columns=NAMES), (rows[:, 0] > 0).astype(int)


@pytest.mark.parametrize(
    ("method", "unique"), [(name, True) for name in SUPERVISED] + [("ip-cae", False)]
)
def test_every_method_stays_within_the_budget_and_the_limits(table, method, unique):
    X, y = table
    settings = {"method": method, "unique": unique, "n_runs": 3, **QUICK}
    selector = ClassificationSelector(
        5, feature_costs=COSTS, budget=4, at_most=[(1, ["b", "c"])], **settings
    ).fit(X, y)
    for run in range(3):
        names = selector.with_run(run).get_feature_names_out()
        assert sum(COSTS[name] for name in names) <= 4
        assert len({"b", "c"} & set(names)) <= 1
        assert 1 <= len(names) <= 5
        twin = selector.with_run(run)
        np.testing.assert_array_equal(
            twin.predict_from_selected(twin.transform(X)), twin.predict(X)
        )


@pytest.mark.parametrize("method", ["ip-cae", "stg", "anova"])
@pytest.mark.parametrize("n_selected", [3, None])
def test_equal_costs_and_a_budget_of_k_change_nothing(table, method, n_selected):
    X, y = table
    settings = {"method": method, **QUICK}
    paid = ClassificationSelector(n_selected, feature_costs=[2] * 8, budget=6, **settings)
    free = ClassificationSelector(3, **settings)
    np.testing.assert_array_equal(paid.fit(X, y).predict_proba(X), free.fit(X, y).predict_proba(X))


@pytest.mark.parametrize("method", ["anova", "adaptive", "shortlist"])
def test_cheap_noise_does_not_displace_an_expensive_column_that_matters(method):
    X = np.random.default_rng(0).normal(size=(400, 20))
    y = X[:, 0] + X[:, 1] > 0
    costs = [4.0, 4.0] + [1.0] * 18
    selector = ClassificationSelector(
        feature_costs=costs, budget=9, method=method, n_runs=1, **QUICK
    ).fit(X, y)
    assert selector.get_support()[:2].all()


def test_many_cheap_columns_that_matter_are_preferred_to_an_expensive_one():
    X = np.random.default_rng(0).normal(size=(400, 20))
    y = 1.5 * X[:, 0] + X[:, 1:7].sum(1) > 0
    selector = ClassificationSelector(
        feature_costs=[6.0] + [1.0] * 19, budget=6, method="anova", **QUICK
    ).fit(X, y)
    assert selector.get_support(indices=True).tolist() == [1, 2, 3, 4, 5, 6]


def test_nodes_find_the_cheap_copies_of_expensive_columns():
    """Among cheap columns that mean nothing; without a price, one or two copies are found."""
    random = np.random.default_rng(0)
    expensive, copies = random.normal(size=(200, 6)), random.normal(scale=0.3, size=(200, 6))
    X = np.column_stack([expensive, expensive + copies, random.normal(size=(200, 20))])
    costs = [5.0] * 6 + [1.0] * 26
    settings = {"max_epochs": 40, "learning_rate": 5e-3, "decoder": (16,), "random_state": 0}
    selector = RegressionSelector(8, feature_costs=costs, budget=8, **settings)
    selector.fit(X, expensive.sum(1))
    assert selector.get_support()[6:12].sum() >= 5
    assert selector.score(X, expensive.sum(1)) > 0.7


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ({"budget": 3}, "budget was given without feature_costs"),
        ({"feature_costs": COSTS, "budget": -1}, "budget=-1 is not understood"),
        ({"feature_costs": COSTS, "budget": "x"}, "budget='x' is not understood"),
        ({"feature_costs": [1, 2], "budget": 3}, "not understood for 8 columns"),
        ({"feature_costs": {"a": 1}, "budget": 3}, r"no cost for 7 columns \(b, c, d, e, f, …"),
        ({"feature_costs": COSTS | {"z": 1}, "budget": 3}, r"not columns \(z\)"),
        ({"feature_costs": COSTS | {"a": -1}, "budget": 3}, "The cost of a is -1"),
        ({"feature_costs": COSTS | {"a": np.nan}, "budget": 3}, "The cost of a is nan"),
        (
            {"feature_costs": COSTS, "budget": 3, "include": ["a"]},
            "The included features cost 5, more than the budget of 3",
        ),
        (
            {"feature_costs": [2] * 8, "budget": 1},
            "No feature is within the budget of 1: the cheapest, a, costs 2",
        ),
        ({"at_most": [(1, NAMES)]}, "at_most allows only 1: select at most 1"),
        ({"at_most": (1, "[ab]"), "include": ["a", "b"]}, "include has 2 .* of which at most 1"),
        ({"at_most": [(0, "a")]}, "is not understood"),
        ({"at_most": "a"}, "at_most='a' is not understood"),
        ({"at_most": [("a", 1)]}, "is not understood"),
        ({"at_most": [(1, "nothing")]}, "at_most='nothing' matches no column"),
    ],
)
def test_what_cannot_be_is_refused_before_training(table, arguments, says):
    X, y = table
    epochs = []
    selector = ClassificationSelector(3, callbacks=epochs.append, **arguments, **QUICK)
    with pytest.raises(InputError, match=says):
        selector.fit(X, y)
    assert not epochs


def test_without_k_as_many_features_as_the_budget_allows(table):
    X, y = table
    selector = ClassificationSelector(
        None, method="anova", feature_costs=pd.Series(COSTS), budget=4.5, **QUICK
    ).fit(X, y)
    names = selector.get_feature_names_out()
    assert sum(COSTS[name] for name in names) <= 4.5
    assert len(names) >= 3


def test_a_group_has_one_cost_and_counts_once(table):
    X, y = table
    groups = {"sensor": ["a", "f", "h"]}
    costs = dict.fromkeys("bcdeg", 1.0) | {"sensor": 2.0}
    selector = ClassificationSelector(
        3, feature_groups=groups, feature_costs=costs, budget=3, include="sensor", **QUICK
    ).fit(X, y)
    assert {"a", "f", "h"} < set(selector.get_feature_names_out())
    assert selector.constraints_.cost(selector.selection_.features) == 3.0


@pytest.mark.parametrize(
    "columns",
    [
        {"feature_costs": COSTS},
        {"feature_costs": pd.Series(COSTS), "include": {"g"}, "exclude": pd.Index(["h"])},
        {"feature_costs": list(COSTS.values()), "at_most": [(1, range(2))]},
    ],
)
def test_a_saved_selector_remembers_what_it_paid(table, tmp_path, columns):
    X, y = table
    selector = ClassificationSelector(5, budget=4, **columns, **QUICK).fit(X, y)
    selector.save(tmp_path / "file.safetensors")
    again = load(tmp_path / "file.safetensors")
    assert again.constraints_ == selector.constraints_
    np.testing.assert_array_equal(again.predict_proba(X), selector.predict_proba(X))


def test_cheap_noise_does_not_replace_an_expensive_column_that_matters():
    random = np.random.default_rng(0)
    X = random.normal(size=(250, 20))
    y = 1.5 * X[:, 0] + 1.2 * X[:, 1] - X[:, 2] + 0.5 * random.normal(size=250)
    costs = [10.0] * 20
    costs[2] = 35.0
    selector = RegressionSelector(None, feature_costs=costs, budget=60, **QUICK).fit(X, y)
    assert set(selector.get_support(indices=True)) == {0, 1, 2}
