"""Normal scores of skewed columns."""

import numpy as np
import pytest
from scipy.stats import rankdata

from ipcae.selectors.classical.statistics.normal_scores import is_skewed, with_normal_scores


def test_symmetric_columns_and_columns_of_two_values_are_left():
    random = np.random.default_rng(0)
    binary = (np.arange(200) < 5) * 1.0
    table = np.column_stack([random.normal(size=200), random.uniform(size=200), binary])
    assert with_normal_scores(table) is table


def test_skewed_columns_keep_their_order_mean_and_deviation():
    table = np.random.default_rng(0).lognormal(3.0, 1.5, size=(200, 3))
    scores = with_normal_scores(table)
    np.testing.assert_array_equal(rankdata(scores, axis=0), rankdata(table, axis=0))
    np.testing.assert_allclose(scores.mean(0), table.mean(0))
    np.testing.assert_allclose(scores.std(0), table.std(0))
    assert not is_skewed(scores).any()


@pytest.mark.parametrize("n_rows", [5, 1000])
def test_constant_columns_are_left(n_rows):
    table = np.ones((n_rows, 3))
    assert with_normal_scores(table) is table


def test_columns_are_independent_of_the_others():
    table = np.random.default_rng(0).lognormal(size=(3000, 900))
    np.testing.assert_array_equal(
        with_normal_scores(table)[:, :2], with_normal_scores(table[:, :2])
    )
