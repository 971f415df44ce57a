"""Columns that matter only together."""

from unittest.mock import patch

import numpy as np
import pytest
from sklearn.datasets import make_classification

from ipcae import ClassificationSelector, RegressionSelector
from ipcae.ridge import margin
from ipcae.selectors.classical import adaptive
from ipcae.selectors.classical.adaptive import Adaptive
from ipcae.selectors.classical.base import Examples
from ipcae.selectors.classical.elimination import Elimination
from ipcae.selectors.classical.forward import Forward
from ipcae.selectors.classical.models import held_out
from ipcae.selectors.classical.models.held_out import errors_of_columns, smooth_errors
from ipcae.selectors.classical.statistics import products
from ipcae.selectors.classical.statistics.products import (
    _informative_pairs,
    informative_products,
    of_columns,
    with_products,
)

NONE = np.array([0])


def table(seed, rows=300, columns=40):
    return np.random.default_rng(seed).normal(size=(rows, columns))


def test_the_default_finds_columns_that_matter_only_as_a_pair():
    X = table(0, 200)
    y = (X[:, 5] * X[:, 17] > 0).astype(int)
    assert ClassificationSelector(2, max_epochs=1).fit(X, y).get_support(indices=True).tolist() == [
        5,
        17,
    ]


def test_the_default_finds_a_column_whose_square_matters():
    X = table(1, 200)
    y = X[:, 4] + np.square(X[:, 9]) + 0.1 * X[:, 30]
    found = RegressionSelector(2, max_epochs=1).fit(X, y).get_support(indices=True)
    assert found.tolist() == [4, 9]


@pytest.mark.parametrize("discrete", [True, False])
def test_noise_has_no_informative_products(discrete):
    for seed in range(20):
        X, target = table(seed, 120, 60), table(100 + seed, 120, 1)
        target = (target > 1).astype(float) if discrete else target**3
        assert not len(informative_products(Examples(X, target, discrete), NONE, 9))


def test_sparse_counts_without_a_relation_have_no_informative_products():
    for seed in range(10):
        random = np.random.default_rng(seed)
        X = random.poisson(0.03, size=(400, 80)).astype(float)
        target = random.integers(0, 3, size=(400, 1)).astype(float)
        assert not len(informative_products(Examples(X, target, discrete=True), NONE, 9))


def test_without_informative_products_the_scores_are_those_of_the_linear_ranking():
    X = table(2, 100, 300)
    y = (X[:, :1] + 0.5 * X[:, 1:2] > 0).astype(float)
    examples = Examples(X, y, discrete=True)
    plain = Adaptive(linear_only=True).scores(examples, 3, 0)
    np.testing.assert_array_equal(Adaptive().scores(examples, 3, 0), plain)


def test_rows_of_weight_zero_do_not_count():
    X = table(3)
    y = (X[:, [2]] * X[:, [7]] > 0).astype(float)
    weights = np.arange(len(X)) % 2.0
    y[weights == 0] = (X[weights == 0][:, [11]] * X[weights == 0][:, [12]] > 0).astype(float)
    pairs = informative_products(Examples(X, y, True, weights), NONE, 9)
    assert pairs.tolist() == [[2, 7]]


def test_what_chosen_columns_explain_is_not_searched_again():
    X = table(4)
    X[:, 1] = X[:, 2] * X[:, 3]
    examples = Examples(X, X[:, [1]] + 0.01 * X[:, [5]], discrete=False)
    assert [2, 3] in informative_products(examples, NONE, 9).tolist()
    assert not len(informative_products(examples, np.array([1, 5]), 9))


def test_blocks_of_columns_give_the_same_pairs(monkeypatch):
    X = table(5)
    y = X[:, [1]] * X[:, [30]] + X[:, [8]] ** 2
    whole = informative_products(Examples(X, y, discrete=False), NONE, 9)
    monkeypatch.setattr(products, "_BLOCK", 7)
    np.testing.assert_array_equal(informative_products(Examples(X, y, False), NONE, 9), whole)
    assert {tuple(pair) for pair in whole.tolist()} == {(1, 30), (8, 8)}


def test_many_columns_are_searched_with_fewer_rows(monkeypatch):
    X = table(6, 2000, 30)
    y = (X[:, [3]] * X[:, [4]] > 0).astype(float)
    monkeypatch.setattr(products, "BUDGET", 30**2 * 4 * 200)
    assert informative_products(Examples(X, y, discrete=True), NONE, 9).tolist() == [[3, 4]]
    monkeypatch.setattr(products, "BUDGET", 30**2 * 4 * 40)
    assert not len(informative_products(Examples(X, y, discrete=True), NONE, 9))


def test_a_column_has_the_score_of_its_best_term():
    pairs = np.array([[0, 1], [1, 1]])
    examples = with_products(Examples(table(7, 50, 3), table(8, 50, 1), False), pairs)
    assert examples.inputs.shape == (50, 5)
    np.testing.assert_array_equal(of_columns(np.array([3.0, 1, 2, 4, 5]), pairs), [4, 5, 2])


def test_products_are_not_used_if_they_do_not_predict_better():
    # A saturated effect of one column has significant products with its neighbors.
    random = np.random.default_rng(0)
    source = random.normal(size=(600, 1))
    X = np.hstack([source + 0.3 * random.normal(size=(600, 6)), random.normal(size=(600, 20))])
    examples = Examples(X, np.exp(source), discrete=False)
    with patch.object(adaptive, "informative_products", return_value=np.zeros((0, 2), int)):
        plain = Adaptive().scores(examples, 6, 0)
    assert len(informative_products(examples, examples.best_columns(plain, 6), 12))
    np.testing.assert_array_equal(Adaptive().scores(examples, 6, 0), plain)


def predict_better(examples, columns, others):
    return margin(*errors_of_columns(examples, [columns, others]), n_errors=2) > 0


@pytest.mark.parametrize("discrete", [True, False])
def test_columns_predict_better_if_others_miss_something(discrete):
    X = table(9)
    y = X[:, [1]] + X[:, [2]] * X[:, [3]]
    examples = Examples(X, (y > 0).astype(float) if discrete else y, discrete)
    whole, part, other = np.array([1, 2, 3]), np.array([1, 2, 4]), np.array([1, 5, 4])
    assert predict_better(examples, whole, part)
    assert not predict_better(examples, part, whole)
    assert not predict_better(examples, part, other)
    assert not predict_better(examples, whole, whole)


def test_columns_that_are_compared_twice_are_fitted_once(monkeypatch):
    X = table(9)
    y = X[:, [1]] + X[:, [2]] * X[:, [3]]
    fitted = []

    def counted(inputs, *others):
        fitted.append(inputs.tobytes())
        return smooth_errors(inputs, *others)

    monkeypatch.setattr(held_out, "smooth_errors", counted)
    monkeypatch.setattr(adaptive, "scores_of_trees", lambda _: np.arange(X.shape[1]))
    monkeypatch.setattr(adaptive, "scores_or_curves", lambda _, scores, __: scores)
    Adaptive().scores(Examples(X, (y > 0).astype(float), True), 3, 0)
    assert len(fitted) == len(set(fitted)) == 3  # the group lasso, products and trees


def test_smooth_errors_of_noise_are_those_of_the_mean():
    X, y = table(10, 400, 5), table(11, 400, 2)
    errors = smooth_errors(X, y)
    assert errors.shape == (400,)
    assert 0.9 < errors.mean() / y.var(0).sum() < 1.3


def test_a_forest_ranks_if_its_columns_predict_better():
    X, y = make_classification(
        600,
        60,
        n_informative=5,
        n_redundant=5,
        n_clusters_per_class=8,
        shuffle=False,
        random_state=1,
    )
    examples = Examples(X, y[:, None].astype(float), discrete=True)
    linear, adaptive = (
        set(examples.best_columns(Adaptive(linear_only=only).scores(examples, 10, 0), 10))
        & set(range(10))
        for only in (True, False)
    )
    assert len(linear) < 10
    assert len(adaptive) == 10


def test_thinned_rows_are_equally_spaced():
    examples = Examples(np.arange(10.0)[:, None], np.zeros((10, 1)), False, np.arange(10.0))
    assert examples.thinned(10) is examples
    assert examples.thinned(4).inputs[:, 0].tolist() == [0, 3, 6, 9]
    assert examples.thinned(4).weights.tolist() == [0, 3, 6, 9]


def test_an_elimination_ranks_numbers_if_its_columns_predict_better():
    # Only the difference of the first two columns tells the target; the others tell it roughly.
    random = np.random.default_rng(0)
    target, common = random.normal(size=(2, 300, 1))
    X = np.hstack([common + 0.4 * target, common - 0.4 * target, target + 2 * table(1, 300, 6)])
    examples = Examples(X, target + 0.1 * table(2, 300, 1), discrete=False)
    linear, compared = (
        set(examples.best_columns(Adaptive(linear_only=only).scores(examples, 2, 0), 2))
        for only in (True, False)
    )
    assert linear != {0, 1}
    assert compared == {0, 1}


def test_squares_are_found_among_many_columns_where_products_are_not_significant():
    X = table(8, 100, 3000)
    y = np.abs(X[:, :3]).sum(1) + 0.1 * table(9, 100, 1)[:, 0]
    examples, best = Examples(X, y[:, None], discrete=False), np.array([10, 11, 12])
    pairs = _informative_pairs(examples, best, 6).tolist()
    found = informative_products(examples, best, 6).tolist()
    assert not {(0, 0), (1, 1), (2, 2)} <= set(map(tuple, pairs))
    assert {(0, 0), (1, 1), (2, 2)} <= set(map(tuple, found))
    assert found[: len(pairs)] == pairs
    assert len(found) == len(set(map(tuple, found))) <= 6


def test_squares_of_noise_are_rarely_informative():
    found = [
        informative_products(
            Examples(table(seed, 80, 500), table(100 + seed, 80, 1), discrete=False),
            np.array([0]),
            5,
        )
        for seed in range(20)
    ]
    assert sum(map(len, found)) <= 1


def test_independent_columns_of_two_classes_are_only_compared_with_forward_selection():
    X = table(3, 40, 60)
    examples = Examples(X, (X[:, [0]] > 0).astype(float), discrete=True)
    with patch.object(adaptive, "preferred", return_value=Elimination()) as preferred:
        Adaptive().scores(examples, 2, 0)
    assert preferred.call_args.args[:3] == (examples, [Elimination(), Forward()], 2)


def test_one_of_each_group_of_copies_is_found_with_more_columns_than_rows():
    random = np.random.default_rng(5)
    signals = random.normal(size=(150, 3))
    X = np.hstack([np.repeat(signals, 20, axis=1), random.normal(size=(150, 200))])
    X[:, :60] += 0.2 * random.normal(size=(150, 60))
    y = signals @ [1.5, 1.0, -0.7] + 0.3 * random.normal(size=150)
    for target, discrete in ((y, False), ((y > 0).astype(float), True)):
        examples = Examples(X, target[:, None], discrete)
        best = examples.best_columns(Adaptive().scores(examples, 3, 0), 3)
        assert {*(best // 20).tolist()} == {0, 1, 2}


def test_a_forest_ranks_numbers_if_its_columns_predict_better():
    X = table(6, 400, 30)
    y = np.sin(3 * X[:, 0]) + np.cos(3 * X[:, 1]) + 0.2 * table(7, 400, 1)[:, 0]
    examples = Examples(X, y[:, None], discrete=False)
    linear, adaptive = (
        set(examples.best_columns(Adaptive(linear_only=only).scores(examples, 2, 0), 2))
        for only in (True, False)
    )
    assert linear != {0, 1}
    assert adaptive == {0, 1}
