"""Decoys keep false discoveries rare, and nothing is selected from noise."""

import numpy as np
import pandas as pd
import pytest

from ipcae import InputError, ReconstructionSelector, RegressionSelector, select_with_fdr
from ipcae.estimators.false_discoveries import knockoff_threshold
from ipcae.tables.decoys import frame_with_decoys, knockoffs, permuted_decoys

QUICK = {"method": "lasso", "max_epochs": 1, "fine_tune": False, "random_state": 0}


def table(seed, effect):
    random = np.random.default_rng(seed)
    X = random.normal(size=(300, 60))
    return X, effect * X[:, :15].sum(1) + random.normal(size=300)


@pytest.mark.parametrize("decoys", ["permuted", "knockoffs"])
def test_planted_features_are_selected_and_few_others(decoys):
    false, true = 0, 0
    for seed in range(3):
        X, y = table(seed, 0.6)
        selector = RegressionSelector(24, **QUICK)
        options = {"decoys": decoys, "n_subsamples": 30, "random_state": seed}
        found = select_with_fdr(selector, X, y, **options)
        chosen = np.flatnonzero(found.support)
        assert found.estimate <= 0.1 or not len(chosen)
        assert (
            found.features
            == [f"x{i}" for i in np.argsort(-found.statistic, kind="stable")][: len(chosen)]
        )
        false, true = false + (chosen >= 15).sum(), true + (chosen < 15).sum()
    assert true >= 20
    assert false <= 0.25 * (false + true)


def test_nothing_is_selected_from_noise_and_that_is_said():
    X, _ = table(0, 0)
    names = [f"gene_{i}" for i in range(60)]
    y = np.random.default_rng(5).normal(size=300)
    selector = RegressionSelector(24, **QUICK)
    found = select_with_fdr(selector, pd.DataFrame(X, columns=names), y, n_subsamples=30)
    assert found.decoys == "knockoffs"  # there are enough rows
    assert found.features == []
    assert not found.support.any()
    assert found.sentence.startswith("No feature is selected at a false discovery rate of 10")


def test_a_column_can_be_exchanged_with_its_knockoff():
    random = np.random.default_rng(0)
    X = random.normal(size=(4000, 4)) @ np.array(
        [[1, 0.5, 0, 0], [0, 1, 0.3, 0], [0, 0, 1, 0], [0, 0, 0, 2.0]]
    )
    decoys = knockoffs(X, seed=1)
    both = np.corrcoef(np.hstack([X, decoys]).T)
    swapped = np.corrcoef(np.hstack([decoys[:, :2], X[:, 2:], X[:, :2], decoys[:, 2:]]).T)
    np.testing.assert_allclose(both, swapped, atol=1e-4)
    np.testing.assert_allclose(decoys.std(0), X.std(0), rtol=1e-4)
    assert abs(both[3, 7]) < 0.2  # a column on its own needs no correlation with its decoy
    np.testing.assert_array_equal(np.sort(permuted_decoys(X, 0), 0), np.sort(X, 0))


def test_the_threshold_counts_those_that_lose():
    wins = np.array([0.9] * 12 + [0.5] * 8)
    assert knockoff_threshold(np.r_[wins, -0.5], 0.1) == (0.5, 0.1)
    assert knockoff_threshold(np.r_[wins, -0.5, -0.5], 0.1) == (0.9, 1 / 12)
    assert knockoff_threshold(np.zeros(5), 0.1) == (np.inf, 1.0)


@pytest.mark.parametrize(
    ("selector", "options", "message"),
    [
        (RegressionSelector(2), {"fdr": 1.5}, "fdr=1.5 is not a rate"),
        (RegressionSelector(2), {"decoys": "none"}, "decoys='none' is not understood"),
        (ReconstructionSelector(2), {}, "ReconstructionSelector has no target"),
    ],
)
def test_bad_arguments_are_a_sentence(selector, options, message):
    with pytest.raises(InputError, match=message):
        select_with_fdr(selector, *table(0, 1), **options)


@pytest.fixture
def mixed():
    X, y = table(0, 0.8)
    frame = pd.DataFrame(X, columns=[f"gene_{i}" for i in range(60)])
    frame["gene_0"] = np.where(frame["gene_0"] > 0, "high", "low")
    frame.loc[::9, "gene_1"] = np.nan
    return frame, y


def test_decoys_of_categories_and_gaps_are_permuted(mixed):
    selector = RegressionSelector(30, **QUICK, missing="impute")
    found = select_with_fdr(selector, *mixed, n_subsamples=20)
    assert found.decoys == "permuted"
    assert {"gene_0", "gene_1"} < set(found.features)
    relevant = {f"gene_{i}" for i in range(15)}
    assert len(set(found.features) - relevant) <= 3
    with pytest.raises(InputError, match="'knockoffs' needs columns of numbers"):
        select_with_fdr(selector, *mixed, decoys="knockoffs")


def test_a_frame_of_polars_has_the_same_decoys(mixed):
    polars = pytest.importorskip("polars")
    frame, _ = mixed
    order = np.random.default_rng(0).permutation(120)
    expected = frame_with_decoys(frame, order, 3)
    made = frame_with_decoys(polars.from_pandas(frame), order, 3).to_pandas()
    pd.testing.assert_frame_equal(made, expected, check_dtype=False)


def test_numbers_with_gaps_get_permuted_decoys_or_a_sentence():
    X, y = table(0, 0.8)
    X[::11, 20] = np.nan
    selector = RegressionSelector(30, **QUICK, missing="impute")
    assert select_with_fdr(selector, X, y, n_subsamples=4).decoys == "permuted"
    with pytest.raises(InputError, match="'knockoffs' needs finite numbers"):
        select_with_fdr(selector, X, y, decoys="knockoffs")


def test_constraints_are_a_sentence():
    with pytest.raises(InputError, match=r"has constraints \(include, budget\)"):
        select_with_fdr(RegressionSelector(2, include=[1], budget=3.0), *table(0, 1))
