"""What is asked of data frames."""

import pandas as pd
import polars as pl
import pytest

from ipcae.tables.frames import has_names, is_frame, labels_of

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
