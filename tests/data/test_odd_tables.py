"""Tables that are not files, unpack to too much, or contain invalid content."""

import io
import os
import struct
import zipfile

import numpy as np
import pytest

from ipcae.data import npz_table, read_table, tabular, text_table
from ipcae.errors import InputError

pd = pytest.importorskip("pandas")
X = np.arange(6.0).reshape(3, 2)


def refusal(path):
    with pytest.raises(InputError) as caught:
        read_table(path)
    assert str(path) in str(caught.value)
    return str(caught.value)


@pytest.mark.skipif(os.name != "posix", reason="needs devices and pipes")
@pytest.mark.parametrize("ending", sorted(tabular.READERS))
def test_special_files_are_not_read(tmp_path, ending):
    (tmp_path / f"zeros{ending}").symlink_to("/dev/zero")
    os.mkfifo(tmp_path / f"pipe{ending}")
    assert "is a device: expected" in refusal(tmp_path / f"zeros{ending}")
    assert "is a pipe: expected" in refusal(tmp_path / f"pipe{ending}")


def test_only_what_is_used_is_read(tmp_path):
    np.savez(tmp_path / "t.npz", X=X, other=np.array([{}], dtype=object))
    assert read_table(tmp_path / "t.npz").shape == (3, 2)


def archive(path, shape, content=b"", method=zipfile.ZIP_DEFLATED):
    """Write an .npz file whose X says it has a shape, and holds that content."""
    header = io.BytesIO()
    numbers = {"descr": "<f8", "fortran_order": False, "shape": shape}
    np.lib.format.write_array_header_1_0(header, numbers)
    with zipfile.ZipFile(path, "w", method) as file:
        file.writestr("X.npy", header.getvalue() + content)
    return path


def test_an_array_that_says_it_is_larger_is_refused(tmp_path):
    path = archive(tmp_path / "t.npz", (10**6, 800), b"\0" * 3_000_000)
    assert "does not match its shape" in refusal(path)


def test_an_archive_that_unpacks_to_much_more_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(npz_table, "MOST_BYTES", 2**20)
    path = archive(tmp_path / "t.npz", (1000, 800), bytes(6_400_000))
    sentence = refusal(path)
    assert "would unpack from 0.0 MB to 0.0 GB" in sentence
    assert "numpy.savez instead" in sentence
    archive(path, (1000, 800), bytes(6_400_000), zipfile.ZIP_STORED)
    assert read_table(path).shape == (1000, 800)


def test_a_directory_with_wrong_sizes_raises_an_error(tmp_path):
    path = archive(tmp_path / "t.npz", (10**6, 800), bytes(800))
    content = bytearray(path.read_bytes())
    central = content.rindex(b"PK\x01\x02")
    struct.pack_into("<I", content, central + 24, 128 + 8 * 10**8 % 2**32)
    path.write_bytes(content)
    refusal(path)


def test_other_byte_orders_and_byte_texts(tmp_path):
    arrays = {"X": X.astype(">f8"), "y": np.array([b"s", b"w", b"s"])}
    np.savez(tmp_path / "t.npz", **arrays, feature_names=np.array(["µ".encode(), b"b"]))
    table = read_table(tmp_path / "t.npz")
    assert list(table) == ["µ", "b", "y"]
    assert table["b"].dtype == np.dtype("=f8")
    assert table["y"].tolist() == ["s", "w", "s"]


@pytest.mark.parametrize(
    "metadata",
    [b"{", b"[]", b"\xff", b'{"index_columns": 5}', b'{"index_columns": ["no"], "columns": []}'],
)
def test_parquet_with_other_metadata_raises_an_error(tmp_path, metadata):
    pyarrow = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    table = pyarrow.table({"a": [1.0, 2.0]}).replace_schema_metadata({b"pandas": metadata})
    parquet.write_table(table, tmp_path / "t.parquet")
    assert "cannot be read as .parquet" in refusal(tmp_path / "t.parquet")


@pytest.mark.parametrize("ending", [".csv", ".tsv.gz"])
@pytest.mark.parametrize("gap", [False, True])
def test_a_wide_table_is_the_same_table(tmp_path, monkeypatch, ending, gap):
    frame = pd.DataFrame(np.random.default_rng(0).normal(size=(4, 30))).add_prefix("gene ")
    if gap:  # then it is read as any other
        frame.iloc[1, 2] = np.nan
    path = tmp_path / f"t{ending}"
    frame.to_csv(path, index=False, sep="\t" if "tsv" in ending else ",")
    monkeypatch.setattr(text_table, "_WIDE", 20)
    pd.testing.assert_frame_equal(read_table(path), frame, rtol=1e-15)


def test_a_wide_table_with_names_of_rows_or_without_a_name(tmp_path, monkeypatch):
    frame = pd.DataFrame(np.eye(3), columns=list("abc"))
    path = tmp_path / "t.csv"
    frame.to_csv(path)  # with row names
    monkeypatch.setattr(text_table, "_WIDE", 2)
    found = read_table(path)
    assert list(found.columns) == ["a", "b", "c"]
    assert found.attrs == {"row_names": True}
    path.write_text("a,,c\n1,2,3\n")
    assert "has no name for column 2" in refusal(path)


def test_a_wide_table_with_a_row_too_long_or_none(tmp_path, monkeypatch):
    monkeypatch.setattr(text_table, "_WIDE", 2)
    path = tmp_path / "t.csv"
    path.write_text("a,b,c\n1,2,3,4\n")
    assert "cannot be read as .csv" in refusal(path)
    path.write_text("a,b,c\n")
    assert "has no rows" in refusal(path)


def test_what_a_library_says_in_several_lines_is_one_line(tmp_path, monkeypatch):
    def fail(file, path, given):
        raise OSError("Invalid data: \x0f\nDeserializing page header failed.\n")

    monkeypatch.setitem(tabular.READERS, ".parquet", fail)
    (tmp_path / "t.parquet").write_bytes(b"x")
    sentence = refusal(tmp_path / "t.parquet")
    assert sentence.endswith(r"Invalid data: \x0f Deserializing page header failed.")
