import numpy as np
import pytest
from sklearn.metrics import balanced_accuracy_score, log_loss, r2_score

from ipcae.cli.held_out import _class_metrics, _reconstruction, _regression, split_rows
from ipcae.errors import InputError


def test_classes_are_balanced_where_they_can_be():
    classes = np.repeat(["a", "b", "c"], [50, 30, 20])
    train, test = split_rows(100, classes, 0.2, seed=1)
    assert sorted([*train, *test]) == list(range(100))
    assert np.unique(classes[test], return_counts=True)[1].tolist() == [10, 6, 4]


def test_a_class_with_one_row_is_learned_from():
    classes = np.array(["rare"] + ["a", "b"] * 15)
    for seed in range(5):
        train, test = split_rows(31, classes, 0.2, seed)
        assert 0 in train
        assert len(test) == 6


def test_more_classes_than_test_rows_are_split_as_they_come():
    train, test = split_rows(20, np.repeat(list("abcdefghij"), 2), 0.2, seed=0)
    assert (len(train), len(test)) == (16, 4)


def test_the_split_depends_on_the_seed_alone():
    first, again, other = (split_rows(50, None, 0.2, seed)[1].tolist() for seed in (0, 0, 1))
    assert first == again != other


def test_too_few_rows_are_refused():
    with pytest.raises(InputError, match="too few to hold 10 out"):
        split_rows(12, None, 0.8, seed=0)


def test_metrics_agree_with_scikit_learn():
    random = np.random.default_rng(0)
    classes = np.array(["a", "b", "c"])
    true = random.choice(classes, 40, p=[0.6, 0.3, 0.1])
    probabilities = random.dirichlet([1, 1, 1], 40)
    predicted = classes[probabilities.argmax(1)]
    metrics = _class_metrics(true, predicted, probabilities, classes)
    assert metrics["balanced_accuracy"] == pytest.approx(balanced_accuracy_score(true, predicted))
    assert metrics["log_loss"] == pytest.approx(log_loss(true, probabilities))
    rows, rebuilt = random.normal(size=(2, 30, 4))
    r2 = r2_score(rows, rebuilt, multioutput="variance_weighted")
    assert _reconstruction(rows, rebuilt, np.ones(4))["r2"] == pytest.approx(r2)
    assert _regression(rows[:, 0], rebuilt[:, 0])["r2"] == pytest.approx(
        r2_score(rows[:, 0], rebuilt[:, 0])
    )


def test_a_class_that_was_never_learned_costs_a_finite_loss():
    metrics = _class_metrics(
        np.array(["a", "new"]), np.array(["a", "a"]), np.ones((2, 1)), np.array(["a"])
    )
    assert metrics["accuracy"] == 0.5
    assert np.isfinite(metrics["log_loss"])
