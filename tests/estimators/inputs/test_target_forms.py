"""The same targets in any form give the same predictions, in the target's own kind."""

import warnings

import numpy as np
import pandas as pd
import polars as pl
import pytest
import torch
from scipy import sparse
from sklearn.exceptions import DataConversionWarning

from ipcae import ClassificationSelector, RegressionSelector, TrainingWarning


@pytest.fixture
def labels(X):
    """Return two classes, 0 and 1."""
    return (X[:, 1] > X[:, 4]).astype(int)


CLASS_FORMS = {
    "list": lambda labels: labels.tolist(),
    "float": lambda labels: labels.astype(float),
    "bool": lambda labels: labels == 1,
    "strings": lambda labels: np.where(labels, "sick", "healthy"),
    "list of strings": lambda labels: np.where(labels, "sick", "healthy").tolist(),
    "objects": lambda labels: np.where(labels, "sick", "healthy").astype(object),
    "Series": lambda labels: pd.Series(labels, index=range(100, 180)),
    "Series of strings": lambda labels: pd.Series(np.where(labels, "sick", "healthy")),
    "Series of categories": lambda labels: pd.Series(
        np.where(labels, "sick", "healthy"), dtype="category"
    ),
    "polars": lambda labels: pl.Series(labels),
    "polars strings": lambda labels: pl.Series(np.where(labels, "sick", "healthy")),
    "nullable integers": lambda labels: pd.Series(labels, dtype="Int64"),
    "nullable booleans": lambda labels: pd.Series(labels, dtype="boolean"),
    "nullable array": lambda labels: pd.array(labels, dtype="Int64"),
    "integers of pyarrow": lambda labels: pd.Series(labels, dtype="int64[pyarrow]"),
    "masked array without gaps": np.ma.masked_array,
    "tensor": torch.from_numpy,
    "tensor of int32": lambda labels: torch.from_numpy(labels).int(),
    "tensor of float32": lambda labels: torch.from_numpy(labels).float(),
    "tensor of bool": lambda labels: torch.from_numpy(labels) == 1,
}


@pytest.mark.parametrize("form", CLASS_FORMS.values(), ids=CLASS_FORMS.keys())
def test_every_form_of_classes_gives_the_same_answer(form, X, labels, quick):
    given = form(labels)
    selector = ClassificationSelector(2, **quick).fit(X, given)
    plain = ClassificationSelector(2, **quick).fit(X, labels)
    np.testing.assert_array_equal(selector.predict_proba(X), plain.predict_proba(X))
    np.testing.assert_array_equal(selector.predict(X), selector.classes_[plain.predict(X)])
    assert set(selector.classes_) == set(np.asarray(given))
    assert selector.score(X, given) == plain.score(X, labels)


@pytest.mark.parametrize("form", CLASS_FORMS.values(), ids=CLASS_FORMS.keys())
def test_every_form_of_classes_serves_validation(form, X, labels, quick):
    given = form(labels)
    selector = ClassificationSelector(2, **quick).fit(X, given, X_val=X[:30], y_val=given[:30])
    plain = ClassificationSelector(2, **quick).fit(X, labels, X_val=X[:30], y_val=labels[:30])
    np.testing.assert_array_equal(selector.validation_loss_, plain.validation_loss_)


@pytest.mark.parametrize(
    "column", [lambda y: y[:, None], lambda y: pd.DataFrame(y), lambda y: torch.tensor(y)[:, None]]
)
def test_a_column_of_classes_warns_as_scikit_learn_does(column, X, labels, quick):
    with pytest.warns(DataConversionWarning, match="column-vector"):
        selector = ClassificationSelector(2, **quick).fit(X, column(labels))
    assert selector.predict(X).shape == (80,)


INDICATOR_FORMS = {
    "lists": lambda labels: labels.tolist(),
    "float": lambda labels: labels.astype(float),
    "bool": lambda labels: labels.astype(bool),
    "pandas": pd.DataFrame,
    "polars": lambda labels: pl.DataFrame(labels),
    "tensor": torch.from_numpy,
    "tensor of float32": lambda labels: torch.from_numpy(labels).float(),
    "csr array": sparse.csr_array,
    "csr matrix": sparse.csr_matrix,
}


@pytest.mark.parametrize("form", INDICATOR_FORMS.values(), ids=INDICATOR_FORMS.keys())
def test_every_form_of_several_labels_gives_the_same_answer(form, X, quick):
    labels = (X[:, :3] > 0).astype(int)
    selector = ClassificationSelector(2, **quick).fit(X, form(labels))
    plain = ClassificationSelector(2, **quick).fit(X, labels)
    np.testing.assert_array_equal(selector.predict_proba(X), plain.predict_proba(X))


VALUE_FORMS = {
    "list": lambda values: values.tolist(),
    "float32": lambda values: values.astype(np.float32),
    "int": lambda values: values.astype(int),
    "Series": lambda values: pd.Series(values, index=range(100, 180)),
    "polars": lambda values: pl.Series(values),
    "tensor": torch.from_numpy,
    "tensor of float32": lambda values: torch.from_numpy(values).float(),
    "in reverse": lambda values: values[::-1].copy()[::-1],
}


@pytest.mark.parametrize("form", VALUE_FORMS.values(), ids=VALUE_FORMS.keys())
def test_every_form_of_numbers_gives_the_same_answer(form, X, values, quick):
    whole = np.round(100 * values)  # which every form can hold
    selector = RegressionSelector(2, **quick).fit(X, form(whole))
    plain = RegressionSelector(2, **quick).fit(X, whole)
    np.testing.assert_array_equal(selector.predict(X), plain.predict(X))
    assert selector.score(X, form(whole)) == pytest.approx(plain.score(X, whole))


@pytest.mark.parametrize("form", [np.asarray, pd.DataFrame, pl.DataFrame, torch.from_numpy])
def test_several_targets_come_back_as_a_matrix(form, X, values, quick):
    targets = np.stack([values, 10 - values], axis=1)
    selector = RegressionSelector(2, **quick).fit(X, form(targets))
    plain = RegressionSelector(2, **quick).fit(X, targets)
    assert selector.predict(X).shape == (80, 2)
    np.testing.assert_array_equal(selector.predict(X), plain.predict(X))


def test_a_column_of_numbers_comes_back_as_a_column(X, values, quick):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        selector = RegressionSelector(2, **quick).fit(X, values[:, None])
    plain = RegressionSelector(2, **quick).fit(X, values)
    assert selector.predict(X).shape == (80, 1)
    np.testing.assert_array_equal(selector.predict(X)[:, 0], plain.predict(X))


def test_only_many_classes_of_integers_cause_a_warning_about_regression(X, quick):
    numbers = np.arange(80) % 50
    ClassificationSelector(2, **quick).fit(X, [f"class {number}" for number in numbers])
    with pytest.warns(UserWarning, match="could represent a regression problem"):
        ClassificationSelector(2, **quick).fit(X, numbers)


@pytest.mark.parametrize(
    ("dtype", "kind"), [("Int64", "i"), ("boolean", "b"), ("int64[pyarrow]", "i")]
)
def test_nullable_classes_are_not_turned_into_floating_point_numbers(dtype, kind, X, labels, quick):
    column = pd.Series(labels).astype(dtype)
    for given in (column, column.array):
        selector = ClassificationSelector(2, **quick).fit(X, given)
        assert selector.classes_.dtype.kind == selector.predict(X).dtype.kind == kind


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_matrix, torch.from_numpy])
def test_one_hot_classes_are_warned_of(X, labels, quick, form):
    one_hot = np.eye(2, dtype=np.int64)[labels]
    with pytest.warns(TrainingWarning, match=r"exactly one 1: .* pass y\.argmax\(axis=1\)"):
        ClassificationSelector(2, **quick).fit(X, form(one_hot))
