"""Reading tables from text, Parquet and NPZ files."""

import gzip
import io
import sys
import zipfile
from datetime import datetime
from pathlib import Path
from types import ModuleType, SimpleNamespace

import numpy as np
import pytest
from scipy import sparse

from ipcae.data import read_table
from ipcae.errors import InputError

pd = pytest.importorskip("pandas")

CSV = "height,width,kind\n1.5,2,door\n3,4.5,window\n"


def zipped(files: dict[str, str]) -> bytes:
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as archive:
        for name, text in files.items():
            archive.writestr(name, text)
    return content.getvalue()


@pytest.fixture
def write(tmp_path: Path):
    def write(name: str, content: str | bytes) -> Path:
        path = tmp_path / name
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return path

    return write


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("t.csv", CSV),
        ("T.CSV", CSV),
        ("bom.csv", "\ufeff" + CSV),
        ("windows.csv", CSV.replace("\n", "\r\n")),
        ("t.tsv", CSV.replace(",", "\t")),
        ("t.csv.gz", gzip.compress(CSV.encode(), mtime=0)),
        ("t.csv.zip", zipped({"t.csv": CSV, "__MACOSX/._t.csv": "?", "readme.md": "?"})),
        ("t.zip", zipped({"folder/t.tsv": CSV.replace(",", "\t")})),
        ("t.tsv.gz", gzip.compress(CSV.replace(",", "\t").encode(), mtime=0)),
    ],
)
def test_text_files(write, name, content):
    table = read_table(str(write(name, content)))
    assert list(table.columns) == ["height", "width", "kind"]
    assert table["height"].tolist() == [1.5, 3.0]
    assert table["kind"].tolist() == ["door", "window"]


def test_parquet(tmp_path):
    pytest.importorskip("pyarrow")
    expected = pd.DataFrame({"a": [1.0, 2.0], "b": ["x", "y"]})
    expected.to_parquet(tmp_path / "t.parquet")
    pd.testing.assert_frame_equal(read_table(tmp_path / "t.parquet"), expected)


def test_npz_with_and_without_names(tmp_path):
    X = np.arange(6, dtype=np.float32).reshape(3, 2)
    np.savez(tmp_path / "bare.npz", X=X)
    np.savez(tmp_path / "full.npz", X=X, y=[0, 1, 0], feature_names=["height", "width"])
    assert list(read_table(tmp_path / "bare.npz").columns) == ["x0", "x1"]
    table = read_table(tmp_path / "full.npz")
    assert list(table.columns) == ["height", "width", "y"]
    assert table["width"].dtype == np.float32
    assert table["y"].tolist() == [0, 1, 0]


def test_a_first_column_without_a_name_names_the_rows(write):
    table = read_table(write("t.csv", ",a,b\nr1,1,2\nr2,3,4\n"))
    assert list(table.columns) == ["a", "b"]
    assert list(table.index) == ["r1", "r2"]


@pytest.mark.parametrize("sep", [" ", "\t", ","])
def test_a_file_from_r_has_no_name_for_the_names_of_its_rows(write, sep):
    lines = ['"a" "b" "kind"', '"s 1" 1.5 2 "x"', '"s 2" NA 4 "y"', '"s 3" 0.5 6 "y"']
    table = read_table(write("t.txt", "\n".join(lines).replace(" ", sep).replace("s" + sep, "s ")))
    assert list(table.columns) == ["a", "b", "kind"]
    assert list(table.index) == ["s 1", "s 2", "s 3"]
    assert table["b"].tolist() == [2, 4, 6]


def test_a_column_called_na_keeps_its_name(write):
    assert list(read_table(write("t.csv", "NA,K\n1,2\n")).columns) == ["NA", "K"]


def test_missing_values_stay_missing(write):
    table = read_table(write("t.csv", "a,b\n1,\n,2\n"))
    assert table.isna().to_numpy().tolist() == [[False, True], [True, False]]


@pytest.mark.parametrize(
    ("name", "content", "sentence"),
    [
        ("t.xls", b"PK", "unknown format: .* Save the spreadsheet as .xlsx or .csv"),
        ("t.zip", b"PK", "cannot be read as .zip"),
        ("t.zip", zipped({}), "cannot be read as .zip: expected one table .* but found none"),
        ("t.zip", zipped({"a.csv": CSV, "b.csv": CSV}), r"one table .* but found a.csv, b.csv"),
        ("t.zip", zipped({"a.csv": "a,a\n1,2\n"}), r"several columns of the same name \(a\)"),
        ("t", CSV, "unknown format: .*, .parquet, .npz, .zarr, .h5ad, .* let its name end in .txt"),
        ("t.npy", b"?", "t.npy is read in parts: open it with ipcae.sources.open_source"),
        ("t.csv", "", "is empty"),
        ("t.csv", "\n\n", "cannot be read as .csv: No columns"),
        ("t.csv", "a,b\n", "has no rows"),
        ("t.csv", ",\n1,2\n", "no name for column 2"),
        ("t.csv", "a,b,a,b\n1,2,3,4\n", r"several columns of the same name \(a, b\)"),
        ("t.csv", "a,a\nx,y\n1,2\n3,4\n", r"have its column names in line 2 \(x, y\)"),
        ("t.csv", "a,,c\n1,2,3\n", "no name for column 2"),
        ("t.csv", "a,b\n1,2,3\n", "lines have more values than the first line has names"),
        ("t.csv", "a,b\n1,2,\n3,4,\n", "lines have more values than the first line has names"),
        ("t.csv", "a,b\n7,2,1\n9,4,1\n", "lines have more values than the first line has names"),
        ("t.csv", "a,b\nd,t,y\n1,2,3\n2,4,5\n", "lines have more values than the first line has"),
        ("t.csv", "a,b\n1,2\n1,2,3\n", "line 3 has 3 values, but there are 2 columns"),
        ("t.csv", "a,b\n1,x\n a ,b\n2,y\n", "repeats its column names in row 2 of the values"),
        ("t.csv", b"a,b\n\x00\x01,2\n1,2\n", "cannot be read as .csv: it contains binary data"),
        ("t.csv.gz", CSV, "cannot be read as .csv.gz"),
        ("t.csv.gz", gzip.compress(CSV.encode(), mtime=0)[:30], "cannot be read as .csv.gz"),
        ("t.parquet", b"not Parquet at all", "cannot be read as .parquet"),
        ("t.npz", b"not a zip archive", "is not an .npz file"),
    ],
)
def test_an_unusable_table_raises_an_error(write, name, content, sentence):
    path = write(name, content)
    with pytest.raises(InputError, match=sentence) as caught:
        read_table(path)
    assert str(caught.value).startswith(str(path))
    assert str(caught.value).endswith(".")


def csr_parts(**changed):
    """The arrays of a sparse matrix of two rows and two columns."""
    parts = {"data": [1.0, 2.0], "indices": [0, 1], "indptr": [0, 1, 2], "shape": [2, 2]}
    return {**parts, "format": np.array(b"csr"), **changed}


@pytest.mark.parametrize("form", ["csr", "csc"])
@pytest.mark.parametrize("kind", [sparse.csr_array, sparse.csr_matrix])
def test_a_sparse_matrix_of_scipy_is_a_table(tmp_path, form, kind):
    matrix = kind(sparse.random_array((20, 6), density=0.3, rng=0)).asformat(form)
    sparse.save_npz(tmp_path / "counts.npz", matrix)
    table = read_table(tmp_path / "counts.npz")
    assert list(table) == ["x0", "x1", "x2", "x3", "x4", "x5"]
    assert np.array_equal(table.to_numpy(), matrix.toarray())


@pytest.mark.parametrize(
    ("arrays", "sentence"),
    [
        ({"Z": np.ones((2, 2))}, "no array X"),
        ({"data": np.ones((2, 2)), "target": np.ones(2)}, "rows and columns. It has data, target"),
        ({"data": [1], "indptr": [0, 1]}, "sparse matrix in an unknown format"),
        (csr_parts(indices=[0, 7]), "cannot be read as .npz"),
        (csr_parts(indices=[-1, 1]), "cannot be read as .npz"),
        (csr_parts(indptr=[0, 1, 9]), "cannot be read as .npz"),
        (csr_parts(shape=[2]), "sparse matrix in an unknown format"),
        (csr_parts(shape=[2, 10**9]), r"shape \(2, 1000000000\), which takes 16.0 GB"),
        ({"X": np.ones(3)}, r"has shape \(3,\): expected rows and columns"),
        ({"X": np.ones((0, 3))}, "has no rows"),
        ({"X": np.ones((2, 2)), "feature_names": ["a"]}, "2 columns in X, but 1 feature_names"),
        ({"X": np.ones((2, 2)), "feature_names": ["a", "a"]}, r"same name \(a\)"),
        ({"X": np.ones((2, 1)), "feature_names": ["y"], "y": [0, 1]}, r"same name \(y\)"),
        ({"X": np.ones((2, 2)), "y": [1, 2, 3]}, "2 rows in X, but y of shape"),
        (
            {"X": np.array([[{}]], dtype=object)},
            "an array X of type object: expected real numbers or text",
        ),
        ({"X": np.zeros((3, 2), dtype=[("a", "f4")])}, "X of type .*: expected real numbers"),
        ({"X": np.ones((2, 2)) + 1j}, "X of type complex128: expected real numbers"),
        ({"X": np.ones((2, 2)), "y": np.zeros(2, dtype="V4")}, r"y of type \|V4"),
        ({"X": np.ones((2, 2)), "feature_names": np.array("ab")}, r"feature_names of shape \(\)"),
        ({"X": np.ones((2, 2)), "feature_names": np.zeros(2, dtype="V4")}, "expected text"),
    ],
)
def test_an_unusable_npz_file_raises_an_error(tmp_path, arrays, sentence):
    np.savez(tmp_path / "t.npz", **arrays)
    with pytest.raises(InputError, match=sentence):
        read_table(tmp_path / "t.npz")


def test_a_damaged_npz_file_raises_an_error(tmp_path, write):
    np.savez(tmp_path / "whole.npz", X=np.ones((50, 50)))
    whole = bytearray((tmp_path / "whole.npz").read_bytes())
    whole[500:600] = bytes(100)
    with pytest.raises(InputError, match=r"cannot be read as \.npz"):
        read_table(write("t.npz", bytes(whole)))


def test_a_missing_file_is_answered_with_near_names(write, tmp_path):
    write("measurements.csv", CSV)
    with pytest.raises(InputError, match=r"does not exist: did you mean measurements.csv\?"):
        read_table(tmp_path / "measurments.csv")
    write("p7.csv", CSV)
    with pytest.raises(InputError, match=r"dup.csv does not exist\.$"):  # only the ending is alike
        read_table(tmp_path / "dup.csv")
    with pytest.raises(InputError, match=r"zzz.parquet does not exist\.$"):
        read_table(tmp_path / "zzz.parquet")
    with pytest.raises(InputError, match="nor does its folder"):
        read_table(tmp_path / "nowhere" / "t.csv")


def test_other_formats_are_answered_with_the_function_that_reads_them(write):
    with pytest.raises(InputError, match=r"pandas.read_stata\(path\).to_parquet\(new_path\)\.$"):
        read_table(write("t.dta", "?"))


def test_a_folder_is_not_a_table(tmp_path):
    with pytest.raises(InputError, match="is a folder"):
        read_table(tmp_path)


def test_spaces_around_names_are_not_part_of_them(write):
    table = read_table(write("t.csv", " size , kind\n1.5, oak\n2, elm\n"))
    assert table.columns.tolist() == ["size", "kind"]
    with pytest.raises(InputError, match="several columns of the same name"):
        read_table(write("u.csv", "a, a\n1,2\n"))


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
def test_several_spaces_separate_aligned_columns(write, encoding):
    lines = ["    dose   n  y", "     0.5   1  a  ", "   12.25  10  b", "       7\t100  a", ""]
    table = read_table(write("t.txt", "\n".join(lines).encode(encoding)))
    assert table["dose"].tolist() == [0.5, 12.25, 7.0]
    assert table["n"].tolist() == [1, 10, 100]
    assert table["y"].tolist() == ["a", "b", "a"]
    names = read_table(write("t.txt", b"first  name\nAnn  Lee\nJo Ann  Doe"))
    assert list(names.columns) == ["first  name"]


def test_spaces_separate_numbers_but_not_words(write):
    table = read_table(write("t.txt", "a b kind\n1 2.5 x\n3 4.5 y\n"))
    assert table.columns.tolist() == ["a", "b", "kind"]
    assert table["b"].tolist() == [2.5, 4.5]
    assert read_table(write("u.csv", "full name\nJo Doe\nAl Poe\n")).shape == (2, 1)


def test_an_archive_that_unpacks_to_much_more_is_refused(write, monkeypatch):
    path = write("t.zip", zipped({"t.csv": CSV}))
    monkeypatch.setattr("ipcae.data.tabular.MOST_BYTES", 10)
    monkeypatch.setattr("ipcae.data.tabular.MOST_TIMES", 0.5)
    with pytest.raises(InputError, match=r"t\.csv would unpack from 0\.0 MB to 0\.0 GB"):
        read_table(path)


SHEET = [
    ["id", "dose", None, "seen", "answer"],
    ["a", 1.5, None, datetime(2024, 1, 31), "<0.5"],
    [None] * 5,
    ["b", 2, None, datetime(2024, 2, 1), 7],
]


def check_sheet(table):
    assert list(table.columns) == ["id", "dose", "seen", "answer"]
    assert table["dose"].tolist() == [1.5, 2.0]
    assert table["seen"].tolist() == ["2024-01-31 00:00:00", "2024-02-01 00:00:00"]
    assert table["answer"].tolist() == ["<0.5", "7"]


def test_cells_of_a_spreadsheet_are_read_like_text(write, monkeypatch):
    monkeypatch.setitem(sys.modules, "openpyxl", ModuleType("openpyxl"))
    cells = pd.DataFrame(SHEET, dtype=object)
    book = SimpleNamespace(sheet_names=["now", "old"], parse=lambda *_, **__: cells)
    monkeypatch.setattr(pd, "ExcelFile", lambda *_, **__: book)
    table = read_table(write("t.xlsx", b"?"))
    check_sheet(table)
    assert table.attrs["unread"] == 'Only the first sheet, "now", is read, not old.'
    cells.iloc[0, 1] = "id"
    with pytest.raises(InputError, match=r"several columns .* first sheet, \"now\", is read, not"):
        read_table(write("t.xlsx", b"?"))
    book.parse = lambda *_, **__: cells[:1]
    with pytest.raises(InputError, match=r"no rows\. Only the first sheet, \"now\", is read, not"):
        read_table(write("t.xlsx", b"?"))


def test_the_first_sheet_of_a_workbook(tmp_path):
    openpyxl = pytest.importorskip("openpyxl")
    book = openpyxl.Workbook()
    for row in SHEET:
        book.active.append(row)
    book.create_sheet("notes").append(["nothing"])
    book.save(tmp_path / "t.xlsx")
    check_sheet(read_table(tmp_path / "t.xlsx"))
    (tmp_path / "t.xlsx").write_bytes(b"PK")
    with pytest.raises(InputError, match=r"cannot be read as \.xlsx"):
        read_table(tmp_path / "t.xlsx")


def test_a_spreadsheet_needs_openpyxl(write, monkeypatch):
    monkeypatch.setitem(sys.modules, "openpyxl", None)
    with pytest.raises(ModuleNotFoundError, match=r"reading \.xlsx files needs openpyxl: pip"):
        read_table(write("t.xlsx", b"?"))
