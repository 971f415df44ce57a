"""Invalid targets and weights are rejected before any training."""

import numpy as np
import pandas as pd
import pytest
import torch

from ipcae import (
    ClassificationSelector,
    InputError,
    RegressionSelector,
    TrainingWarning,
    chance_test,
    evaluate_features,
    select_with_fdr,
)


def never(outputs, targets):
    raise AssertionError("training has begun")


def refused(kind, X, y, *words, error=InputError, **fit_arguments):
    """Check that fit refuses the targets with these words."""
    with pytest.raises(error) as caught:
        kind(2, loss=never).fit(X, y, **fit_arguments)
    for word in words:
        assert word in str(caught.value)


@pytest.mark.parametrize("kind", [ClassificationSelector, RegressionSelector])
class TestBothTasks:
    def test_targets_are_needed(self, kind, X):
        refused(kind, X, None, "requires y", "per row")

    @pytest.mark.parametrize("form", [np.asarray, list, torch.from_numpy])
    def test_there_is_one_target_for_every_row(self, kind, X, classes, form):
        refused(kind, X, form(classes[:79]), "X has 80 rows and y has 79", "inconsistent")

    @pytest.mark.parametrize("form", [np.asarray, list, torch.from_numpy])
    def test_there_is_one_weight_for_every_row(self, kind, X, classes, form):
        weights = form(np.ones(79))
        refused(kind, X, classes, "80 rows and sample_weight has 79", sample_weight=weights)

    @pytest.mark.parametrize(
        ("weights", "words"),
        [
            (np.r_[-1.0, np.ones(79)], "must not be negative"),
            (np.zeros(80), "at least one"),
            (np.full(80, np.nan), "sample_weight contains NaN"),
            (np.full(80, np.inf), "sample_weight contains infinity"),
            (np.ones((80, 2)), "1D array"),
            ("balanced", "the parameter class_weight"),
        ],
    )
    def test_weights_are_positive_numbers(self, kind, X, classes, weights, words):
        refused(kind, X, classes, words, error=ValueError, sample_weight=weights)

    def test_missing_targets_are_refused(self, kind, X, classes):
        missing = np.where(classes == 2, np.nan, classes)
        refused(kind, X, missing, "y contains NaN", error=ValueError)

    def test_validation_rows_need_targets(self, kind, X, classes):
        refused(kind, X, classes, "X_val was given without y_val", X_val=X)

    def test_validation_rows_and_targets_are_two_arguments(self, kind, X, classes):
        refused(kind, X, classes, "X_val is a pair", X_val=(X, classes))

    def test_validation_targets_need_rows(self, kind, X, classes):
        refused(kind, X, classes, "y_val was given without X_val", y_val=classes)

    def test_there_is_one_validation_target_for_every_row(self, kind, X, classes):
        refused(kind, X, classes, "X_val has 80 rows and y_val has 79", X_val=X, y_val=classes[:79])

    def test_missing_validation_targets_are_refused(self, kind, X, classes):
        missing = np.where(classes == 2, np.nan, classes)
        refused(kind, X, classes, "y_val contains NaN", error=ValueError, X_val=X, y_val=missing)


@pytest.mark.parametrize(
    ("y", "name"), [(np.ones(80, int), "1"), (["a"] * 80, "'a'"), (np.zeros(80, bool), "False")]
)
def test_one_class_alone_is_refused(X, y, name):
    refused(ClassificationSelector, X, y, f"only one class, {name}:", "at least two")


def test_numbers_are_refused_as_classes(X, values):
    refused(ClassificationSelector, X, values, "continuous", error=ValueError)


@pytest.mark.parametrize(
    ("y", "y_val", "words"),
    [
        ([0, 1], [0, 2], "training target (2)"),
        (["a", "b"], ["c", "d"], "training target (c, d)"),
        (["a", "b"], [0, 1], "training target (0, 1)"),
    ],
)
def test_unseen_classes_in_validation_are_named(X, y, y_val, words):
    refused(ClassificationSelector, X, y * 40, "y_val contains", words, X_val=X, y_val=y_val * 40)


def test_validation_targets_are_of_the_same_kind(X, classes, values):
    labels = np.stack([classes > 0, classes > 1, X[:, 0] > 0], axis=1).astype(int)
    refused(
        ClassificationSelector,
        X,
        labels,
        "not a matrix of zeros and ones, but y was",
        X_val=X,
        y_val=classes,
    )
    refused(
        ClassificationSelector,
        X,
        classes,
        "a matrix of zeros and ones, but y was one",
        X_val=X,
        y_val=labels,
    )
    says = "different numbers of columns, 3 and 2"
    refused(ClassificationSelector, X, labels, says, X_val=X, y_val=labels[:, :2])
    both = np.stack([values, values], axis=1)
    refused(RegressionSelector, X, values, "columns, 1 and 2", X_val=X, y_val=both)
    refused(RegressionSelector, X, both, "columns, 2 and 1", X_val=X, y_val=values)


def test_gaps_and_texts_in_the_target_are_counted_and_shown(X):
    classes = np.array(["ill", None] * 40, dtype=object)
    refused(ClassificationSelector, X, classes, "y contains NaN: 40 of 80 rows have no value")
    prices = np.array([f"{row + 1},000 EUR" for row in range(80)])
    says = "y contains text, such as '1,000 EUR': expected numbers. Remove the unit 'EUR'"
    refused(RegressionSelector, X, prices, says)
    refused(RegressionSelector, X, np.array(["low", "3"] * 40), "such as 'low': expected numbers")


def test_rows_in_different_orders_are_warned_of(X):
    frame = pd.DataFrame(X)
    y = frame[0].sample(frac=1, random_state=0)
    selector = RegressionSelector(1, method="lasso", max_epochs=1, random_state=0)
    with pytest.warns(TrainingWarning, match="same index in different orders"):
        selector.fit(frame, y)
    for name in ("groups", "sample_weight"):
        with pytest.warns(TrainingWarning, match=rf"pass {name}\.loc\[X\.index\]"):
            selector.fit(frame, frame[0], **{name: y.abs()})
    with pytest.warns(TrainingWarning, match="X and groups have the same index"):
        chance_test(selector, frame, frame[0], groups=y.abs())
    with pytest.warns(TrainingWarning, match="X and y have the same index"):
        evaluate_features(selector, [0], frame, y, cv=2, n_random=1, rankings=[])
    with pytest.warns(TrainingWarning, match="X and y have the same index"):
        select_with_fdr(selector, frame, y, n_subsamples=2)
    selector.fit(frame, y.loc[frame.index])
    selector.fit(frame, y.reset_index(drop=True))
    selector.fit(frame, y.set_axis(range(100, 180)))


@pytest.mark.parametrize(
    ("y", "says"),
    [
        (
            np.arange("2024-01-01", "2024-03-01", dtype="datetime64[D]"),
            "y contains dates: expected",
        ),
        (np.arange(60).astype("timedelta64[h]"), "y contains durations: expected numbers"),
    ],
)
def test_dates_and_durations_are_not_read_as_nanoseconds(y, says):
    X = np.random.default_rng(0).normal(size=(60, 4))
    with pytest.raises(InputError, match=says):
        RegressionSelector(2).fit(X, y)
