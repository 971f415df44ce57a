"""Decoys keep false discoveries rare, and nothing is selected from noise."""

import numpy as np
import pandas as pd
import pytest

from ipcae import InputError, ReconstructionSelector, RegressionSelector, select_with_fdr
from ipcae.estimators.false_discoveries import knockoff_threshold
from ipcae.tables.decoys import (
    frame_with_decoys,
    knockoffs,
    knockoffs_beside_categories,
    permuted_decoys,
)

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


def test_nothing_is_selected_from_noise():
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
def test_invalid_arguments_raise_an_error(selector, options, message):
    with pytest.raises(InputError, match=message):
        select_with_fdr(selector, *table(0, 1), **options)


@pytest.fixture
def mixed():
    X, y = table(0, 0.8)
    frame = pd.DataFrame(X, columns=[f"gene_{i}" for i in range(60)])
    frame["gene_0"] = np.where(frame["gene_0"] > 0, "high", "low")
    frame.loc[::9, "gene_1"] = np.nan
    return frame, y


@pytest.mark.parametrize("decoys", ["knockoffs", "permuted"])
def test_a_table_with_categories_and_gaps(mixed, decoys):
    selector = RegressionSelector(30, **QUICK, missing="impute")
    found = select_with_fdr(selector, *mixed, decoys=decoys, n_subsamples=20)
    assert {"gene_0", "gene_1"} < set(found.features)
    relevant = {f"gene_{i}" for i in range(15)}
    assert len(set(found.features) - relevant) <= 3


def test_a_category_does_not_make_neighbors_of_relevant_columns_discoveries():
    false, selected = 0, 0
    for seed in range(6):
        random = np.random.default_rng([1, seed])
        X = random.normal(size=(300, 60))
        for column in range(1, 60):
            X[:, column] = 0.8 * X[:, column - 1] + 0.6 * X[:, column]
        frame = pd.DataFrame(X).add_prefix("gene_").assign(city=random.choice(["a", "b", "c"], 300))
        y = 0.6 * X[:, ::4].sum(axis=1) + random.normal(size=300)
        found = select_with_fdr(RegressionSelector(30, **QUICK), frame, y, n_subsamples=20)
        assert found.decoys == "knockoffs"
        relevant = {f"gene_{i}" for i in range(0, 60, 4)}
        false, selected = (
            false + len(set(found.features) - relevant),
            selected + len(found.features),
        )
    assert selected > 20
    assert false / selected < 0.2


def test_categories_alone_have_permuted_decoys():
    frame = pd.DataFrame({"city": ["a", "b"] * 20, "color": ["red", "red", "blue", "blue"] * 10})
    y = np.random.default_rng(0).normal(size=40)
    selector = RegressionSelector(2, **QUICK)
    assert select_with_fdr(selector, frame, y, n_subsamples=4).decoys == "permuted"
    with pytest.raises(InputError, match="'knockoffs' needs columns of numbers"):
        select_with_fdr(selector, frame, y, decoys="knockoffs")


def test_a_frame_of_polars_has_the_same_decoys(mixed):
    polars = pytest.importorskip("polars")
    frame, _ = mixed
    order = np.random.default_rng(0).permutation(120)
    others = {"gene_5": np.arange(float(len(frame)))}
    expected = frame_with_decoys(frame, order, 3, others)
    made = frame_with_decoys(polars.from_pandas(frame), order, 3, others).to_pandas()
    pd.testing.assert_frame_equal(made, expected, check_dtype=False)


def test_the_knockoff_of_a_column_with_gaps_has_the_same_gaps():
    X, y = table(0, 0.8)
    X[::11, 20] = np.nan
    made = knockoffs_beside_categories(X, np.zeros((len(X), 0)), seed=0)
    np.testing.assert_array_equal(np.isnan(made), np.isnan(X))
    selector = RegressionSelector(30, **QUICK, missing="impute")
    assert select_with_fdr(selector, X, y, n_subsamples=4).decoys == "knockoffs"


def test_constraints_raise_an_error():
    with pytest.raises(InputError, match=r"has constraints \(include, budget\)"):
        select_with_fdr(RegressionSelector(2, include=[1], budget=3.0), *table(0, 1))
