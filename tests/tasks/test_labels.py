"""Labels come back as what they were."""

import numpy as np
import pandas as pd
import pytest
import torch

from ipcae import ClassificationSelector, InputError
from ipcae.tasks import Classification, Multilabel

LABELS = {
    "integers": np.array([3, -1, 7]),
    "small integers": np.array([1, 2, 3], dtype=np.int8),
    "truth": np.array([True, False, True]),
    "text": np.array(["b", "cçc", "a"]),
    "objects": np.array(["b", "ccc", "a"], dtype=object),
    "whole floats": np.array([0.0, 2.0, 1.0]),
}


@pytest.mark.parametrize("labels", LABELS.values(), ids=LABELS.keys())
def test_predictions_have_the_type_and_the_values_of_the_labels(labels):
    y = labels[[0, 1, 2, 1, 0]]
    X = torch.zeros(5, 2)
    task = Classification.read(y, X)
    encoded = task.encode(y, X)
    assert encoded.dtype == torch.int64
    predicted = task.predictions(torch.eye(task.n_outputs)[encoded])
    assert predicted.dtype == labels.dtype
    np.testing.assert_array_equal(predicted, y)
    assert [type(a) for a in predicted.tolist()] == [type(a) for a in y.tolist()]
    np.testing.assert_array_equal(task.head.classes, np.unique(labels))


@pytest.mark.parametrize(
    "container", [list, tuple, pd.Series, torch.as_tensor], ids=lambda kind: kind.__name__
)
def test_containers_of_labels_are_equal(container):
    y, X = np.array([3, 1, 3, 2]), torch.zeros(4, 2)
    task = Classification.read(container(y.tolist()), X)
    assert task.classes.tolist() == [1, 2, 3]
    assert task.encode(container(y.tolist()), X).tolist() == [2, 0, 2, 1]


@pytest.mark.parametrize("labels", LABELS.values(), ids=LABELS.keys())
def test_a_selector_predicts_labels_of_their_own_type(labels):
    X = np.random.default_rng(0).normal(size=(40, 4))
    y = labels[(X[:, 0] > 0).astype(int)]
    settings = {"max_epochs": 2, "decoder": (4,), "random_state": 0}
    selector = ClassificationSelector(2, **settings).fit(X, y)
    assert selector.predict(X).dtype == labels.dtype
    assert selector.classes_.dtype == labels.dtype
    assert set(selector.predict(X)) <= set(y)


def test_a_matrix_of_zeros_and_ones_makes_a_task_of_labels():
    y = np.array([[1, 0, 1], [0, 0, 1]])
    task = Classification.read(y, torch.zeros(2, 4))
    assert task == Multilabel(3)
    encoded = task.encode(y, torch.zeros(2, 4))
    assert encoded.tolist() == y.tolist()
    assert encoded.dtype == torch.float32
    predicted = task.predictions(encoded - 0.5)
    assert predicted.dtype == np.int64
    np.testing.assert_array_equal(predicted, y)


def test_one_form_of_target_is_not_taken_for_another():
    matrix, classes, X = np.array([[1, 0], [0, 1]]), np.array([0, 1]), torch.zeros(2, 3)
    with pytest.raises(InputError, match="y_val is a matrix of zeros and ones, but y was one"):
        Classification.read(classes, X).encode(matrix, X, "y_val")
    with pytest.raises(InputError, match="y_val is not a matrix of zeros and ones, but y was"):
        Classification.read(matrix, X).encode(classes, X, "y_val")
    wider = np.array([[1, 0, 1], [0, 1, 1]])
    with pytest.raises(InputError, match="different numbers of columns, 2 and 3"):
        Classification.read(matrix, X).encode(wider, X, "y_val")


def test_a_single_class_raises_an_error():
    with pytest.raises(InputError, match="y has only one class, 'a': expected at least two"):
        Classification.read(["a", "a"], torch.zeros(2, 3))
