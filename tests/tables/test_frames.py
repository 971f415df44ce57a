"""What is asked of data frames."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.utils.validation import check_array

from ipcae.tables.frames import has_names, is_frame, labels_of, plain_numbers

INDEXES = {
    "texts": pd.Index(["a", "b"]),
    "objects": pd.Index(["a", 2], dtype=object),
    "numbers": pd.RangeIndex(2),
    "dates": pd.date_range("2020", periods=2),
    "levels": pd.MultiIndex.from_tuples([("a", 1), ("b", 2)]),
    "categories": pd.CategoricalIndex(["a", "b"]),
}


@pytest.mark.parametrize("index", INDEXES.values(), ids=INDEXES.keys())
def test_the_names_are_those_of_the_columns_in_their_order(index):
    frame = pd.DataFrame([[1, 2]], columns=index)
    assert labels_of(frame) == list(frame.columns)
    assert has_names(frame) == all(isinstance(name, str) for name in frame.columns)
    assert labels_of(pl.DataFrame({"b": [1], "a": [2]})) == ["b", "a"]


def test_the_types_of_all_columns_are_not_collected_to_recognize_a_frame():
    class Frame(pd.DataFrame):
        @property
        def dtypes(self):
            raise AssertionError("the types were collected")

    assert is_frame(Frame({"a": [1]}))
    assert has_names(Frame({"a": [1]}))
    assert not is_frame(pd.Series([1]))


KINDS = [
    "float64",
    "float32",
    "float16",
    "int64",
    "uint64",
    "int8",
    "int8 float32",
    "int64 float32",
]
KINDS += ["int64 float64", "int64 uint64", "float16 float32", "float32 float64"]


@pytest.mark.parametrize("kinds", KINDS)
def test_plain_numbers_are_read_as_scikit_learn_reads_them(kinds):
    values = np.array([[1, 2, 3], [40, 50, 60]])
    columns = {str(c): values[:, c].astype(kind) for c, kind in enumerate(kinds.split())}
    frame = pd.DataFrame(columns)
    found, expected = plain_numbers(frame), check_array(frame, dtype=[np.float64, np.float32])
    assert found is not None
    assert found.dtype == expected.dtype
    np.testing.assert_array_equal(found, expected)


def test_other_columns_are_no_plain_numbers():
    for column in ([True, False], ["1", "2"], pd.array([1, None]), pd.arrays.SparseArray([0, 1])):
        assert plain_numbers(pd.DataFrame({"a": [1, 2], "b": column})) is None
    assert plain_numbers(pd.DataFrame(index=[0, 1])) is None
    assert plain_numbers(pl.DataFrame({"a": [1, 2]})) is None
    assert plain_numbers(np.ones((2, 2))) is None
