"""The separator, decimal mark and encoding of a text file are found, or given."""

import gzip

import numpy as np
import pytest

from ipcae.data import read_table
from ipcae.data.text_format import TextFormat
from ipcae.errors import InputError

pd = pytest.importorskip("pandas")

TEXT = "Größe,Höhe,Art\n1.5,2,Tür\n3,4.25,Fenster\n"


@pytest.fixture
def read(tmp_path):
    def read(content, name="t.csv", **given):
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return read_table(path, **given)

    return read


def check(table):
    assert list(table.columns) == ["Größe", "Höhe", "Art"]
    assert table["Größe"].tolist() == [1.5, 3.0]
    assert table["Höhe"].tolist() == [2.0, 4.25]
    assert table["Art"].tolist() == ["Tür", "Fenster"]


@pytest.mark.parametrize(
    "encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "cp1252", "utf-32"]
)
@pytest.mark.parametrize("name", ["t.csv", "t.csv.gz"])
def test_encodings_are_detected(read, encoding, name):
    content = TEXT.encode(encoding)
    check(read(gzip.compress(content) if name.endswith("gz") else content, name))


def test_latin_1_is_detected_by_bytes_that_windows_1252_lacks(read):
    content = (TEXT + "5,6,\x8d\n").encode("latin-1")
    assert read(content)["Art"].tolist() == ["Tür", "Fenster", "\x8d"]


def test_an_encoding_can_be_given(read):
    check(read(TEXT.encode("cp850"), encoding="cp850"))
    with pytest.raises(InputError, match=r"cannot be read as .csv: it is not ascii text"):
        read(TEXT, encoding="ascii")


@pytest.mark.parametrize("sep", [",", ";", "\t", "|"])
@pytest.mark.parametrize("name", ["t.csv", "t.tsv", "t.txt"])
def test_separators_are_detected(read, sep, name):
    check(read(TEXT.replace(",", sep), name))


def test_decimal_commas_are_detected(read):
    german = TEXT.replace(",", ";").replace(".", ",")
    check(read(german))
    check(read(german.replace(";", "\t"), "t.tsv"))


def test_points_and_commas_in_the_same_file_are_left_alone(read):
    table = read("a;b\n1.5;x, y\n2.5;3,4\n")
    assert table["a"].tolist() == [1.5, 2.5]
    assert table["b"].tolist() == ["x, y", "3,4"]


def test_thousands_are_not_taken_for_decimals(read):
    assert read("a;b\n1,234;5\n2,345;6\n")["a"].tolist() == ["1,234", "2,345"]
    assert read("a;b\n1,234;5\n2,345;6\n", decimal=",")["a"].tolist() == [1.234, 2.345]


def test_commas_within_quotes_and_names_do_not_separate(read):
    assert read('"a, kg";"b, m"\n1,5;2\n2,5;3\n').columns.tolist() == ["a, kg", "b, m"]
    assert read('a,b\n"x; y",1\n"z; w",2\n').columns.tolist() == ["a", "b"]


def test_a_single_column_needs_no_separator(read):
    assert read("a\n1.5\n2.5\n")["a"].tolist() == [1.5, 2.5]


def test_a_format_can_be_given(read):
    table = read("a:b\n1,5:x\n", sep=":", decimal=",")
    assert table.to_dict("list") == {"a": [1.5], "b": ["x"]}


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ({"sep": "--"}, "sep='--' is not understood: expected one character"),
        ({"sep": "a"}, "sep='a' is not understood"),
        ({"decimal": "x"}, "decimal='x' is not understood"),
        ({"sep": ",", "decimal": ","}, "sep and decimal are both ','"),
        ({"encoding": "utf-9"}, "encoding='utf-9' is unknown"),
        ({"encoding": "a\0b"}, "is unknown"),
    ],
)
def test_an_invalid_format_is_refused(read, given, sentence):
    with pytest.raises(InputError, match=sentence):
        read(TEXT, **given)


def test_a_format_is_described_in_words():
    assert str(TextFormat(";", ",", "cp1252")) == (
        "cp1252 text, separated by a semicolon, with decimal commas"
    )


def test_detection_looks_at_the_beginning_of_a_large_file(read):
    rows = np.random.default_rng(0).normal(size=(40_000, 3)).round(3)
    text = pd.DataFrame(rows, columns=list("abc")).to_csv(index=False, sep=";", decimal=",")
    np.testing.assert_array_equal(read(text).to_numpy(), rows)
