"""Sample weights decide how much a row counts."""

import numpy as np
import pandas as pd
import pytest
import torch
from sklearn.metrics import recall_score

from ipcae import ClassificationSelector, ReconstructionSelector, RegressionSelector


@pytest.fixture
def rows():
    return np.random.default_rng(0).normal(size=(300, 10))


@pytest.fixture
def spoiled():
    """Return which rows are wrong: more than half of them."""
    return np.random.default_rng(1).random(300) < 0.6


@pytest.fixture
def once(thorough):
    return thorough | {"n_runs": 1}


def test_wrong_labels_of_weight_zero_are_ignored(rows, spoiled, thorough):
    truth = rows[:, 2] > rows[:, 7]
    labels = np.where(spoiled, rows[:, 0] > 0, truth)
    misled = ClassificationSelector(2, **thorough).fit(rows, labels)
    weighted = ClassificationSelector(2, **thorough).fit(rows, labels, sample_weight=~spoiled)
    assert 0 in misled.get_support(indices=True)
    assert weighted.get_support(indices=True).tolist() == [2, 7]
    assert weighted.score(rows, truth) > 0.95


@pytest.mark.parametrize(
    ("kind", "targets"),
    [
        (ClassificationSelector, lambda rows: (rows[:, 2] > 0).astype(int)),
        (RegressionSelector, lambda rows: rows[:, 2]),
        (ReconstructionSelector, lambda rows: None),
    ],
)
def test_rows_of_weight_zero_might_as_well_be_left_out(rows, spoiled, quick, kind, targets):
    """Neither scaling nor validation nor training looks at them."""
    y = targets(rows)
    y_left = None if y is None else y[~spoiled]
    wild = np.where(spoiled[:, None], 1e6 * rows, rows)
    y_wild = y if kind is not RegressionSelector else np.where(spoiled, 1e9, y)
    weights = np.random.default_rng(2).uniform(0.5, 2, size=300)
    with_zeros = kind(2, **quick).fit(wild, y_wild, sample_weight=np.where(spoiled, 0, weights))
    left_out = kind(2, **quick).fit(rows[~spoiled], y_left, sample_weight=weights[~spoiled])
    answer = "reconstruct" if kind is ReconstructionSelector else "predict"
    np.testing.assert_array_equal(
        getattr(with_zeros, answer)(rows), getattr(left_out, answer)(rows)
    )
    np.testing.assert_array_equal(with_zeros.validation_loss_, left_out.validation_loss_)


def test_a_weighted_minority_gains_recall(rows, once):
    noise = np.random.default_rng(3).normal(size=300)
    minority = (rows[:, 2] + noise > 1.8).astype(int)
    assert minority.mean() < 0.15
    plain = ClassificationSelector(2, **once).fit(rows, minority)
    weighted = ClassificationSelector(2, **once).fit(rows, minority, np.where(minority, 10, 1))
    recalls = [recall_score(minority, selector.predict(rows)) for selector in (plain, weighted)]
    assert recalls[1] > recalls[0] + 0.2


def test_weights_choose_what_a_reconstruction_cares_for(once):
    """Half of the rows live in column 0 and its copies, the other half in column 5 and its."""
    rng = np.random.default_rng(0)
    group = np.arange(300) % 2
    source = rng.normal(size=(300, 1)) * [1.0, 1.0]
    source[np.arange(300), group] = 0
    rows = np.repeat(source, 5, axis=1) + 0.01 * rng.normal(size=(300, 10))
    chosen = [
        ReconstructionSelector(1, **once)
        .fit(rows, sample_weight=np.where(group == favored, 1, 0.01))
        .get_support(indices=True)
        .item()
        for favored in (0, 1)
    ]
    assert chosen[0] >= 5 > chosen[1]


@pytest.mark.parametrize("factor", [1, 8])
def test_equal_weights_of_any_size_change_nothing(X, values, quick, factor):
    plain = RegressionSelector(2, **quick).fit(X, values)
    equal = RegressionSelector(2, **quick).fit(X, values, np.full(80, factor))
    np.testing.assert_allclose(equal.predict(X), plain.predict(X), rtol=1e-3, atol=1e-4)


@pytest.mark.parametrize(
    "form", [list, torch.from_numpy, lambda w: pd.Series(w, index=range(100, 180))]
)
def test_every_form_of_weights_gives_the_same_answer(X, values, quick, form):
    weights = np.random.default_rng(0).uniform(size=80)
    plain = RegressionSelector(2, **quick).fit(X, values, weights)
    other = RegressionSelector(2, **quick).fit(X, values, form(weights))
    np.testing.assert_array_equal(other.predict(X), plain.predict(X))


def test_validation_counts_the_weights(X, classes, quick):
    """With weight on one row alone, and validation on the training rows, its loss remains."""
    weights = np.full(80, 1e-6)
    weights[7] = 1
    selector = ClassificationSelector(2, validation_fraction=None, **quick)
    selector.fit(X, classes, weights)
    own = -np.log(selector.predict_proba(X)[7, classes[7]])
    np.testing.assert_allclose(selector.validation_loss_, own, rtol=1e-2)


@pytest.mark.parametrize(
    ("kind", "targets"),
    [
        (ClassificationSelector, "classes"),
        (RegressionSelector, "values"),
        (ReconstructionSelector, None),
    ],
)
def test_scores_count_the_weights(X, quick, request, kind, targets):
    y = None if targets is None else request.getfixturevalue(targets)
    selector = kind(2, **quick).fit(X, y)
    half = np.arange(80) < 37
    y_half = None if y is None else y[half]
    weighted = selector.score(X, y, sample_weight=half.astype(float))
    assert weighted == pytest.approx(selector.score(X[half], y_half))
    assert weighted != pytest.approx(selector.score(X, y))
