"""What transform returns: the selected columns, their names, and the way back."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
import torch
from scipy import sparse
from sklearn.exceptions import NotFittedError
from sklearn.feature_selection import SelectKBest

from ipcae import ClassificationSelector, ReconstructionSelector, SelectorCV

NAMES = list("abcdef")


@pytest.fixture
def table(X):
    return pd.DataFrame(X, columns=NAMES, index=range(100, 180))


@pytest.fixture
def fitted(table, classes, quick):
    return ClassificationSelector(2, **quick).fit(table, classes)


def test_transform_returns_the_selected_columns_in_their_order(X, classes, quick):
    selector = ClassificationSelector(3, **quick).fit(X, classes)
    columns = selector.get_support(indices=True)
    assert columns.tolist() == sorted(selector.selection_.features)
    np.testing.assert_array_equal(selector.transform(X), X[:, columns])


def test_fit_transform_is_fit_and_then_transform(X, classes, quick):
    at_once = ClassificationSelector(2, **quick).fit_transform(X, classes)
    np.testing.assert_array_equal(
        at_once, ClassificationSelector(2, **quick).fit(X, classes).transform(X)
    )


def test_names_come_from_the_data_frame(fitted):
    assert fitted.feature_names_in_.tolist() == NAMES
    expected = [NAMES[i] for i in fitted.get_support(indices=True)]
    assert fitted.get_feature_names_out().tolist() == expected


def test_names_can_be_given_for_an_array(X, quick):
    selector = ReconstructionSelector(2, **quick).fit(X)
    assert not hasattr(selector, "feature_names_in_")
    columns = selector.get_support(indices=True)
    assert selector.get_feature_names_out().tolist() == [f"x{i}" for i in columns]
    assert selector.get_feature_names_out(NAMES).tolist() == [NAMES[i] for i in columns]


def test_names_are_forgotten_when_fitted_again_on_a_tensor(fitted, X, classes):
    fitted.fit(torch.from_numpy(X), classes)
    assert not hasattr(fitted, "feature_names_in_")
    assert fitted.get_feature_names_out()[0].startswith("x")


@pytest.mark.parametrize(
    ("container", "kind"), [("pandas", pd.DataFrame), ("polars", pl.DataFrame)]
)
def test_set_output_gives_data_frames(table, classes, quick, container, kind):
    selector = ClassificationSelector(2, **quick).set_output(transform=container)
    for transformed in (
        selector.fit_transform(table, classes),
        selector.fit(pl.DataFrame(table), classes).transform(pl.DataFrame(table)),
    ):
        assert isinstance(transformed, kind)
        assert list(transformed.columns) == selector.get_feature_names_out().tolist()
        np.testing.assert_array_equal(
            transformed.to_numpy(), table[selector.get_feature_names_out()]
        )


@pytest.mark.parametrize("search", [False, True])
@pytest.mark.parametrize("container", ["pandas", "polars"])
def test_columns_keep_their_types_in_another_container(classes, X, quick, container, search):
    table = pd.DataFrame({"x": X[:, 0], "n": range(80), "city": ["Oslo", "Lima"] * 40})
    expected = table if container == "pandas" else pl.DataFrame(table)
    selector = ClassificationSelector(3, **quick)
    if search:
        selector = SelectorCV(selector, n_features_to_select=[3], cv=2)
    selector.set_output(transform=container).fit(table, classes)
    for rows in (table, pl.DataFrame(table)):
        assert list(selector.transform(rows).dtypes) == list(expected.dtypes)


def test_missing_values_of_pandas_are_null_in_polars(classes, quick):
    codes = pd.array([1, 2, 3, None] * 20, dtype="Int64")
    table = pd.DataFrame({"code": codes, "city": ["Oslo", "Lima", None, "Rome"] * 20})
    selector = ClassificationSelector(2, missing="impute", **quick).set_output(transform="polars")
    city = selector.fit(table, classes).transform(table)["city"]
    assert (city.dtype, city.null_count()) == (pl.String, 20)


def test_a_pandas_output_keeps_the_index(fitted, table):
    transformed = fitted.set_output(transform="pandas").transform(table)
    assert transformed.index.equals(table.index)


@pytest.mark.parametrize("container", ["pandas", "polars"])
def test_set_output_holds_for_tensors_too(X, classes, quick, container):
    selector = ClassificationSelector(2, **quick).set_output(transform=container)
    transformed = selector.fit(torch.from_numpy(X), classes).transform(torch.from_numpy(X))
    np.testing.assert_array_equal(transformed.to_numpy(), X[:, selector.get_support()])


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.int32, torch.float16])
def test_a_tensor_gives_a_tensor_of_its_own_kind(X, quick, dtype):
    tensor = torch.from_numpy(100 * X).to(dtype)
    selector = ReconstructionSelector(2, **quick).fit(tensor)
    transformed = selector.transform(tensor)
    assert transformed.dtype == dtype
    assert torch.equal(transformed, tensor[:, selector.get_support(indices=True)])


@pytest.mark.parametrize("form", [sparse.csr_array, sparse.csc_array, sparse.csr_matrix])
def test_sparse_rows_stay_sparse(X, quick, form):
    few = form(np.where(X > 1, X, 0))
    selector = ReconstructionSelector(2, **quick).fit(few)
    transformed = selector.transform(few)
    assert sparse.issparse(transformed)
    np.testing.assert_array_equal(transformed.toarray(), few.toarray()[:, selector.get_support()])


def test_integers_stay_integers(X, quick):
    counts = (10 * X).astype(np.int64)
    assert ReconstructionSelector(2, **quick).fit(counts).transform(counts).dtype == np.int64


def test_the_inverse_puts_zeros_where_nothing_was_selected(fitted, table, X):
    restored = fitted.inverse_transform(fitted.transform(table))
    np.testing.assert_array_equal(restored, np.where(fitted.get_support(), X, 0))


@pytest.mark.parametrize(
    "ask",
    [
        lambda selector, X: selector.transform(X),
        lambda selector, X: selector.transform(torch.from_numpy(X)),
        lambda selector, X: selector.predict(X),
        lambda selector, X: selector.predict_from_selected(X[:, :2]),
        lambda selector, X: selector.get_support(),
        lambda selector, X: selector.selection_,
        lambda selector, X: selector.ranking_,
        lambda selector, X: selector.with_run(0),
    ],
)
@pytest.mark.parametrize("refused_before", [False, True])
def test_nothing_is_answered_before_fit(X, quick, ask, refused_before):
    selector = ClassificationSelector(2, **quick)
    if refused_before:
        with pytest.raises(ValueError, match="one class"):
            selector.fit(X, np.zeros(80))
    with pytest.raises(NotFittedError):
        ask(selector, X)


@pytest.mark.parametrize("dtype", ["Float64", "double[pyarrow]", "boolean", "some booleans"])
def test_columns_of_numbers_become_an_array_of_numbers_as_in_scikit_learn(dtype, X, classes, quick):
    table = pd.DataFrame(X > 0 if dtype == "boolean" else X, columns=list("abcdef"))
    if dtype == "some booleans":
        table = table.assign(**{name: table[name] > 0 for name in "abc"})
    else:
        table = table.astype(dtype)
    selector = ClassificationSelector(5, **quick).fit(table, classes)
    expected = SelectKBest(k=5).fit(table, classes).transform(table).dtype
    assert selector.transform(table).dtype == expected == np.float64
