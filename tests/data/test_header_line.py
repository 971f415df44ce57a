"""Titles, empty columns and the line for spreadsheets around the column names of a text file."""

import pytest

from ipcae.data import read_table
from ipcae.errors import InputError

ROWS = ["1,5;2;x", "2,5;3;y", "4,0;5;x"]


@pytest.fixture
def read(tmp_path):
    def call(*lines):
        path = tmp_path / "table.csv"
        path.write_text("\n".join(lines), encoding="utf-8")
        return read_table(path)

    return call


@pytest.mark.parametrize(
    ("above", "line"),
    [
        (["Plant 3"], 2),
        (["Plant 3", ""], 3),
        (["# exported", "# by hand"], 3),
        (["measured;;result"], 2),
        (["measured;;"], 2),
    ],
)
def test_names_below_titles_are_pointed_to(read, above, line):
    says = rf"names in line {line} \(temp, try, kind\): .* Delete the lines? above"
    with pytest.raises(InputError, match=says):
        read(*above, "temp;try;kind", *ROWS)


def test_a_line_that_names_the_separator_is_skipped(read):
    table = read("sep=;", "temp;try;kind", *ROWS)
    assert list(table.columns) == ["temp", "try", "kind"]
    assert table["temp"].tolist() == [1.5, 2.5, 4.0]


def test_empty_columns_without_a_name_are_skipped(read):
    table = read("temp;try;kind;;", *(f"{row};;" for row in ROWS))
    assert list(table.columns) == ["temp", "try", "kind"]
    with pytest.raises(InputError, match="has no name for column 4: add names in"):
        read("temp;try;kind;", *(f"{row};7" for row in ROWS))
    with pytest.raises(InputError, match=r"columns 2, 3: .* \(merged cells name only one"):
        read("temp;;;kind", *(f"7;{row}" for row in ROWS))


def test_numbers_instead_of_names_are_named(read):
    with pytest.raises(InputError, match=r"has numbers \(1, 1, 2\) instead of column names"):
        read("1;1;2", "3;4;5", "6;7;8")


def test_a_table_of_one_column_is_read(read):
    assert read("temp", "1.5", "2.5")["temp"].tolist() == [1.5, 2.5]
    assert read("comment", '"yes, it was"', '"no, never"').shape == (2, 1)
