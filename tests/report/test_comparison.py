"""Comparison of the selected features with fewer, more, all and random features."""

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import r2_score

from ipcae import ClassificationSelector, RegressionSelector
from ipcae.evaluation import read_sample
from ipcae.report import set_decoders
from ipcae.report.comparison import Comparison, compare, sizes_to_compare


@pytest.mark.parametrize(("selected", "features"), [(1, 1), (1, 9), (9, 9), (50, 20000)])
def test_sizes_hold_the_selected_and_all(selected, features):
    sizes = sizes_to_compare(selected, features)
    assert sizes == sorted(set(sizes))
    assert {1, selected, features} <= set(sizes)


def test_informative_features_beat_random_ones_and_the_baseline():
    X = np.random.default_rng(0).normal(size=(300, 20))
    y = X[:, 3] - 2 * X[:, 7]
    settings = {"max_epochs": 60, "learning_rate": 1e-2, "decoder": (16,), "random_state": 0}
    selector = RegressionSelector(2, **settings).fit(X[:200], y[:200])
    assert set(selector.get_support(indices=True)) == {3, 7}
    train, test = read_sample(selector, X[:200], y[:200]), read_sample(selector, X[200:], y[200:])
    comparison = compare(selector, test, train)
    assert isinstance(comparison, Comparison)
    assert list(comparison.scores) == [1, 2, 4, 20]
    assert comparison.scores[2] > 0.9
    assert comparison.scores[2] > comparison.scores[1] + 0.1
    assert comparison.scores[2] > max(comparison.random) + 0.1
    assert comparison.own == pytest.approx(selector.score(X[200:], y[200:]), abs=1e-6)
    mean = np.full(100, y[:200].mean())
    assert comparison.baseline == pytest.approx(r2_score(y[200:], mean), abs=1e-6)
    again = compare(selector, test, train)
    assert isinstance(again, Comparison)
    assert again.scores == comparison.scores


@pytest.mark.parametrize("features", [5, 100])
def test_additive_decoders_are_compared_with_others_of_their_kind(features):
    X = np.random.default_rng(0).uniform(-1.7, 1.7, size=(500, features))
    y = np.sin(5 * X[:, 0]) + X[:, 1]
    selector = RegressionSelector(2, include=[0, 1], random_state=0).fit(X[:400], y[:400])
    assert selector.decoders_ == ["additive"]
    train, test = read_sample(selector, X[:400], y[:400]), read_sample(selector, X[400:], y[400:])
    comparison = compare(selector, test, train)
    assert comparison.own > 0.98
    if features == 5:
        assert comparison.scores[2] > 0.98
    else:  # too many columns for a sum of functions of all
        assert comparison.scores[2] == pytest.approx(0.6, abs=0.1)


def test_an_impossible_comparison_is_explained(fitted):
    case = fitted("regression")
    few = read_sample(case.selector, case.X[:9], case.y[:9])
    assert compare(case.selector, few, None) == (
        "Not available: there are too few rows to train on."
    )


def test_rows_that_are_sorted_by_class_are_compared_like_others():
    random = np.random.default_rng(0)
    y = np.repeat(np.arange(6), 40)
    X = 3 * random.normal(size=(6, 5))[y] + random.normal(size=(240, 5))
    train = np.arange(240) % 2 == 0
    selector = ClassificationSelector(3, max_epochs=20, learning_rate=0.01, random_state=0)
    selector.fit(X[train], y[train])
    parts = [read_sample(selector, X[rows], y[rows]) for rows in (~train, train)]
    comparison = compare(selector, *parts)
    assert comparison.scores[3] > 0.6
    assert set(comparison.without) == set(selector.get_support(indices=True))
    assert max(comparison.without.values()) < comparison.scores[3] + 0.1


def test_decoders_of_few_categories_are_not_as_wide_as_that_of_all(monkeypatch):
    random = np.random.default_rng(0)
    X = pd.DataFrame(random.choice(list("abcdefghijklmnopqrst"), size=(200, 20)))
    y = (X[0] < "k").to_numpy()
    X.columns = X.columns.astype(str)
    selector = ClassificationSelector(2, method="anova", max_epochs=2, random_state=0).fit(X, y)
    sample = read_sample(selector, X, y)
    widths = []

    def spy(model, problem, *args, **kwargs):
        widths.append((len(problem.runs), model.n_selected))
        return train(model, problem, *args, **kwargs)

    train = set_decoders.train
    monkeypatch.setattr(set_decoders, "train", spy)
    comparison = compare(selector, sample, sample)
    assert list(comparison.scores) == [1, 2, 4, 20]
    # 1 or 2 categories of 20 levels; 4; all
    assert widths == [(7, 40), (1, 80), (1, 400)]


@pytest.mark.parametrize(("work", "trained"), [(2.9, 0), (3.1, 3), (4.1, 8), (20, 8)])
def test_decoders_without_a_feature_are_trained_for_all_some_or_none(monkeypatch, work, trained):
    X = np.random.default_rng(0).normal(size=(100, 5))
    selector = RegressionSelector(3, method="lasso", max_epochs=2, decoder=(4,), random_state=0)
    sample = read_sample(selector.fit(X, X[:, 0]), X, X[:, 0])
    trainer = set_decoders.SetDecoders.of(selector, sample, sample)
    plan, rows = trainer.problem.plan, len(trainer.problem.rows)
    weights = set_decoders.count_weights(trainer.problem.decoder, 8, 1)
    cost = weights * rows * plan.max_epochs
    monkeypatch.setattr(set_decoders, "MOST_WORK", work * cost)
    assert trainer.affordable_sets(8) == trained
