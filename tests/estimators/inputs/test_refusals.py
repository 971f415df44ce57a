"""Odd input, including what scikit-learn's checks reject, raises one-sentence errors."""

import numpy as np
import pandas as pd
import pytest
import torch
from scipy import sparse

from ipcae import ClassificationSelector, InputError, RegressionSelector
from ipcae.decoders import linear_decoder
from ipcae.losses import SquaredError
from ipcae.models import FixedSelection
from ipcae.rows import Rows
from ipcae.training.choices.importance import importance


def refused(sentence, work):
    with pytest.raises(InputError, match=sentence) as caught:
        work()
    assert "\n" not in str(caught.value)
    return caught.value


TABLES = {
    "one dimension": (np.arange(9.0), "Expected 2D array.*Reshape"),
    "complex": (np.eye(9) * 1j, "^Complex data not supported$"),
    "no rows": (np.zeros((0, 3)), r"0 sample\(s\)"),
    "no columns": (pd.DataFrame(index=range(9)), "no columns"),
    "same names": (pd.DataFrame(np.eye(9), columns=["a"] * 9), r"same name \(a\)"),
    "objects": (np.array([[object()] * 3] * 9), "must be a string or a real number"),
    "mixed names": (pd.DataFrame(np.eye(3), columns=["a", 1, "b"]), "Feature names are only"),
    "name with a break": (pd.DataFrame({"a\nb": list("xyz")}), r"no columns .* \(a\\nb: all 3"),
}


@pytest.mark.parametrize(("X", "sentence"), TABLES.values(), ids=TABLES.keys())
def test_tables(X, sentence, quick):
    error = refused(sentence, lambda: RegressionSelector(1, **quick).fit(X, np.arange(len(X))))
    # Those that rely on scikit-learn's own classes still catch them.
    expected = TypeError if sentence.startswith(("must", "Feature")) else ValueError
    assert isinstance(error, expected)


@pytest.mark.parametrize(
    ("y", "sentence"),
    [
        (np.where(np.arange(80) > 3, np.nan, 1.0), "y contains NaN"),
        (np.linspace(0, 1, 80), "Unknown label type: continuous"),
        (np.array([b"a", b"b"] * 40), "labels represented as bytes"),
        (sparse.csr_matrix(np.arange(80)[:, None] % 3), "Sparse data was passed for y"),
        (5, "Expected sequence"),
        (np.array([True, False] * 40, dtype=object), r"type bool.*y\.astype\(bool\)"),
        (np.array([1, "a"] * 40, dtype=object), r"type int and str.*y\.astype\(str\)"),
        (pd.cut(np.arange(80.0), 3), r"type Interval.*y\.astype\(str\)"),
        ([["a", "b"], ["a"]] * 40, "different lengths.*MultiLabelBinarizer"),
        (np.ma.masked_array([0, 1] * 40, [1] + [0] * 79), "y contains NaN: 1 of 80"),
        ("kind", "y is the text 'kind'.*leave the column out of X"),
    ],
    ids=[
        "missing",
        "continuous",
        "bytes",
        "sparse",
        "number",
        "booleans as objects",
        "numbers and text",
        "intervals",
        "lists of labels",
        "masked",
        "name of a column",
    ],
)
def test_targets(X, y, sentence, quick):
    refused(sentence, lambda: ClassificationSelector(2, **quick).fit(X, y))


@pytest.mark.parametrize(
    ("settings", "sentence"),
    [
        ({"n_runs": int}, "n_runs=<class 'int'> is not understood"),
        ({"n_runs": 10**30}, "n_runs=10* is too large"),
        ({"fine_tune": 10**30}, "fine_tune=10* is too large"),
        ({"learning_rate": {}}, "learning_rate={} is not understood"),
        ({"precision": {}}, "precision={} is not understood"),
        ({"loss": int}, "loss=<class 'int'> is not understood"),
        ({"random_state": "x"}, "expected an int from 0 to"),
        ({"random_state": np.random.default_rng(0)}, "a numpy.random.RandomState or None"),
    ],
    ids=["class", "many runs", "many epochs", "rates", "precision", "loss", "seed", "generator"],
)
def test_arguments(X, values, quick, settings, sentence):
    refused(sentence, lambda: RegressionSelector(2, **{**quick, **settings}).fit(X, values))


@pytest.mark.parametrize("weight", [np.nan, np.inf, 1e300, 0.0, -1.0])
def test_weights(X, values, quick, weight):
    refused("weight", lambda: RegressionSelector(2, **quick).fit(X, values, np.full(80, weight)))


def test_rows_to_transform(X, values, quick):
    selector = RegressionSelector(2, **quick).fit(X, values)
    refused("NaN", lambda: selector.transform(np.where(X > 2, np.nan, X)))
    refused("features", lambda: selector.transform(X[:, :3]))
    refused("sequence", lambda: selector.predict_from_selected([[1, [2]]]))


@pytest.mark.parametrize("n_rows", [1, 2, 3])
def test_mutual_information_of_few_rows(X, values, quick, n_rows):
    selector = RegressionSelector(
        2, validation_fraction=None, unique=False, **quick | {"method": "mutual-information"}
    )
    selector.fit(X[:n_rows], values[:n_rows])
    assert selector.get_support().sum() == 2


def test_mutual_information_of_classes_of_one_row(X, quick):
    selector = ClassificationSelector(
        2, validation_fraction=None, **quick | {"method": "mutual-information"}
    )
    selector.fit(X[:5], list("abcde"))
    assert selector.get_support().sum() == 2


def test_importance_is_finite_where_the_loss_overflows():
    model = FixedSelection(linear_decoder(), n_selected=2, n_outputs=1)
    params = {
        "decoder.0.weight": torch.tensor([[[1e25, -1e25]]]),
        "decoder.0.bias": torch.zeros(1, 1),
        "buffer:features": torch.tensor([[0, 1]]),
    }
    column = torch.arange(5.0)[:, None]
    rows = Rows(torch.cat([column, column], dim=1), torch.zeros(5, 1))
    rises = importance(model, params, SquaredError(), rows)
    assert (rises > 1e38).all()
    assert np.isfinite(rises).all()


def test_weights_that_leave_a_single_class_are_refused(X, classes, quick):
    weights = (classes == classes[0]).astype(float)
    refused(
        "positive sample_weight",
        lambda: ClassificationSelector(2, **quick).fit(X, classes, weights),
    )
