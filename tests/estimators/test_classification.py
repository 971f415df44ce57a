"""Classes, labels and probabilities."""

import numpy as np
import pytest
from sklearn.metrics import accuracy_score

from ipcae import ClassificationSelector


@pytest.fixture
def rows():
    """Return rows to learn from and rows to be judged by, 300 each."""
    rng = np.random.default_rng(0)
    return rng.normal(size=(300, 8)), rng.normal(size=(300, 8))


def labels_of(X):
    """Return three labels at once, which columns 0, 2 and 5 decide."""
    return (X[:, [0, 2, 5]] > 0).astype(int)


def test_two_classes_are_learned(rows, thorough):
    train, test = rows
    selector = ClassificationSelector(2, **thorough).fit(train, train[:, 1] > train[:, 6])
    assert selector.get_support(indices=True).tolist() == [1, 6]
    assert selector.score(test, test[:, 1] > test[:, 6]) > 0.9


def test_several_classes_with_names_are_learned(rows, thorough):
    train, test = rows
    names = np.array(["zebra", "ant", "cat"])
    selector = ClassificationSelector(3, **thorough)
    selector.fit(train, names[train[:, [0, 2, 5]].argmax(1)])
    assert selector.classes_.tolist() == ["ant", "cat", "zebra"]
    assert selector.get_support(indices=True).tolist() == [0, 2, 5]
    truth = names[test[:, [0, 2, 5]].argmax(1)]
    assert selector.score(test, truth) > 0.85
    assert selector.score(test, truth) == accuracy_score(truth, selector.predict(test))


def test_probabilities_sum_to_one_and_the_likeliest_class_is_predicted(X, classes, quick):
    selector = ClassificationSelector(2, **quick).fit(X, classes)
    probabilities = selector.predict_proba(X)
    assert probabilities.shape == (80, 3)
    assert probabilities.dtype == np.float64
    np.testing.assert_allclose(probabilities.sum(1), 1)
    np.testing.assert_array_equal(selector.predict(X), selector.classes_[probabilities.argmax(1)])


def test_several_labels_at_once_are_learned(rows, thorough):
    train, test = rows
    selector = ClassificationSelector(3, **thorough).fit(train, labels_of(train))
    assert selector.get_support(indices=True).tolist() == [0, 2, 5]
    predicted, probabilities = selector.predict(test), selector.predict_proba(test)
    assert predicted.shape == probabilities.shape == (300, 3)
    assert set(np.unique(predicted)) == {0, 1}
    np.testing.assert_array_equal(predicted, probabilities > 0.5)
    assert (predicted == labels_of(test)).mean() > 0.9
    # A row counts only if all its labels are right.
    exact = (predicted == labels_of(test)).all(1).mean()
    assert selector.score(test, labels_of(test)) == pytest.approx(exact)


def test_a_rare_class_may_have_one_row(X, quick):
    classes = np.array([0, 1] * 39 + [2, 0])
    selector = ClassificationSelector(2, **quick).fit(X, classes)
    assert selector.predict_proba(X).shape == (80, 3)


def label_itself(outputs, targets):
    """Return a loss whose mean tells which classes the rows have."""
    return 0 * outputs.sum(-1) + targets


def test_the_validation_rows_hold_every_class_in_proportion(quick):
    classes = np.repeat([0, 1, 2], [85, 10, 5])
    rows = np.random.default_rng(0).normal(size=(100, 3))
    for seed in range(3):
        settings = quick | {"max_epochs": 1, "loss": label_itself, "random_state": seed}
        selector = ClassificationSelector(1, **settings).fit(rows, classes)
        # Of 20 rows, two of class 1 and one of class 2.
        np.testing.assert_allclose(selector.validation_loss_, 4 / 20)
