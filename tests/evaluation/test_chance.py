"""Noise is not called better than chance, planted signals are."""

import json

import numpy as np
import pandas as pd
import pytest
import torch
from scipy import sparse
from scipy.stats import binom

from ipcae import (
    ClassificationSelector,
    InputError,
    ReconstructionSelector,
    RegressionSelector,
    chance_test,
)
from ipcae.evaluation import ChanceTest
from ipcae.evaluation.folds import folds_of
from ipcae.tasks import TASKS, Classification, Regression

QUICK = {"max_epochs": 4, "decoder": (8,), "random_state": 0}


@pytest.fixture(scope="module")
def X():
    return np.random.default_rng(0).normal(size=(80, 12))


def test_noise_is_called_signal_no_more_often_than_the_level_says():
    selector, called = ClassificationSelector(3, method="anova", **QUICK), 0
    for seed in range(25):
        random = np.random.default_rng(seed)
        X, y = random.normal(size=(40, 30)), np.repeat([0, 1], [12, 28])
        called += chance_test(selector, X, y, random_state=seed).better
    assert called <= binom.ppf(0.999, 25, 0.05)


@pytest.mark.parametrize("method", ["ip-cae", "random-forest"])
def test_a_planted_feature_of_classes_is_found(X, method):
    X, y = X.copy(), np.repeat(["rare", "common"], [20, 60])
    X[:20, 4] += 2.5
    settings = {**QUICK, "max_epochs": 25, "learning_rate": 0.01}
    test = chance_test(ClassificationSelector(3, method=method, **settings), X, y)
    assert test.better
    assert test.sentence.startswith("Better than chance (p ")
    assert test.metric == "balanced_accuracy"
    assert test.score > 0.6
    assert test.statistic > np.quantile(test.null, 0.95)


def test_numbers_and_labels(X):
    settings = {**QUICK, "max_epochs": 25, "learning_rate": 0.01}
    y = X[:, 2] - X[:, 5]
    assert chance_test(RegressionSelector(3, method="lasso", **settings), X, y).better
    labels = np.stack([X[:, 2] > 0, X[:, 5] > 0], 1).astype(int)
    assert chance_test(
        ClassificationSelector(3, method="random-forest", **settings), X, labels
    ).better


def test_columns_that_tell_nothing_about_each_other_cannot_be_reconstructed(X):
    selector = ReconstructionSelector(3, method="pfa", **{**QUICK, "max_epochs": 20})
    assert not chance_test(selector, X).better
    related = np.hstack([X[:, :4], X[:, :4] + 0.3 * X[:, 4:8]])
    assert chance_test(selector, related).better


def test_the_test_repeats_itself_and_leaves_the_selector_alone(X):
    selector = ClassificationSelector(3, method="anova", n_runs=3, **QUICK)
    y = (X[:, 0] > 0).astype(int)
    first = chance_test(selector, X, y)
    assert first == chance_test(selector, X, y)
    np.testing.assert_array_equal(first.null, chance_test(selector, X, y).null)
    assert not hasattr(selector, "params_")
    assert selector.n_runs == 3


def test_frames_sparse_matrices_tensors_and_lists_give_the_same(X):
    selector, y = ClassificationSelector(3, method="anova", **QUICK), (X[:, 0] > 0).astype(int)
    frame = pd.DataFrame(X, columns=[f"c{i}" for i in range(12)])
    expected = chance_test(selector, X, y).p_value
    assert chance_test(selector, frame, pd.Series(y)).p_value == expected
    assert chance_test(selector, torch.from_numpy(X), y.tolist()).p_value == expected
    assert chance_test(selector, sparse.csr_array(X), y).p_value == expected


def test_the_folds_spread_classes_and_a_rare_class_reduces_them():
    y = np.repeat(["a", "b", "c"], [20, 9, 3])
    folds = folds_of(np.zeros((32, 1)), y, Classification, 5, seed=0)
    assert len(folds) == 3
    for train, test in folds:
        assert set(y[test]) == set(y[train]) == {"a", "b", "c"}
    assert sorted(np.concatenate([test for _, test in folds])) == list(range(32))
    alone = np.repeat(["a", "b"], [31, 1])
    assert len(folds_of(np.zeros((32, 1)), alone, Classification, 5, seed=0)) == 2


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"cv": 1}, "expected at least 2 folds"),
        ({"cv": 50}, "too few for 50 folds: expected at least 100"),
        ({"level": 2}, "level=2 is not a probability"),
        ({"n_permutations": 9}, "too few for level=0.05: expected at least 20"),
    ],
)
def test_bad_arguments_are_a_sentence_before_any_training(X, arguments, message):
    def never(report):
        raise AssertionError("nothing may be trained")

    selector = RegressionSelector(3, callbacks=never, **QUICK)
    with pytest.raises(InputError, match=message):
        chance_test(selector, X, X[:, 0], **arguments)


def test_a_summary_is_json_and_is_read_again(X):
    test = chance_test(RegressionSelector(3, method="lasso", **QUICK), X, X[:, 0])
    summary = json.loads(json.dumps(test.summary()))
    again = ChanceTest.from_summary(summary)
    assert again == test
    assert again.summary() == test.summary()
    with pytest.raises(ValueError, match="not the summary"):
        ChanceTest.from_summary({**summary, "metric": "no such metric"})


@pytest.mark.parametrize("name", ["classification", "multilabel", "regression", "reconstruction"])
def test_outputs_that_equal_the_target_have_the_largest_sum_of_all_permutations(name):
    random = np.random.default_rng(0)
    X = torch.from_numpy(random.normal(size=(30, 3)))
    y = {"classification": np.arange(30) % 3, "multilabel": random.integers(0, 2, (30, 3))}
    task = TASKS[name].read(y.get(name, X.numpy()), X)
    encoded = task.encode(y.get(name, X.numpy()), X)
    targets = X if encoded is None else encoded
    outputs = torch.eye(3).double()[targets] if targets.ndim == 1 else targets.double()
    predicted, true = task.association(outputs, targets)
    assert predicted.shape == true.shape
    best = (predicted * true).sum()
    for _ in range(50):
        assert (predicted * true[random.permutation(30)]).sum() <= best + 1e-9


def test_a_task_with_other_targets_must_say_it_itself():
    task = Regression(2, single=False)
    with pytest.raises(InputError, match=r"Regression does not define association\(\)"):
        task.association(torch.zeros(4, 2), torch.zeros(4, 3))
