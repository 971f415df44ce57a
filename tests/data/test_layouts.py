"""Whether the files lie unpacked or as UCI serves them, the same table is read."""

import sys
import zipfile
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from ipcae.data import Table, load


@pytest.fixture
def folder_of(
    original_data: Path, cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Callable[[str], Path]:
    """Make an empty folder of a data set, the only place to look in."""

    def folder(name: str) -> Path:
        monkeypatch.setenv("IPCAE_DATA", str(tmp_path / "layout"))
        path = tmp_path / "layout" / name
        path.mkdir(parents=True)
        return path

    return folder


def original(name: str, original_data: Path, monkeypatch: pytest.MonkeyPatch) -> Table:
    with monkeypatch.context() as context:
        context.setenv("IPCAE_DATA", str(original_data))
        return load(name, download=False)


def test_isolet_as_compressed_files_in_a_zip(folder_of, original_data, monkeypatch, compress):
    folder, originals = folder_of("isolet"), original_data / "isolet"
    # The large file stays as it is: packing it takes too long.
    (folder / "isolet1+2+3+4.data").symlink_to(originals / "isolet1+2+3+4.data")
    packed = compress((originals / "isolet5.data").read_bytes())
    with zipfile.ZipFile(folder / "isolet.zip", "w") as archive:
        archive.writestr("isolet5.data.Z", packed)
    table = load("isolet", download=False)
    np.testing.assert_array_equal(table.X, original("isolet", original_data, monkeypatch).X)


def test_har_as_a_zip_in_a_zip(folder_of, original_data, monkeypatch):
    outer = folder_of("har") / "human+activity+recognition+using+smartphones.zip"
    with zipfile.ZipFile(outer, "w") as archive:
        archive.write(original_data / "har" / "UCI HAR Dataset.zip", "UCI HAR Dataset.zip")
    table = load("har", download=False)
    np.testing.assert_array_equal(table.X, original("har", original_data, monkeypatch).X)


def test_har_unpacked(folder_of, original_data, monkeypatch):
    with zipfile.ZipFile(original_data / "har" / "UCI HAR Dataset.zip") as archive:
        archive.extractall(folder_of("har"))
    table = load("har", download=False)
    np.testing.assert_array_equal(table.y, original("har", original_data, monkeypatch).y)


@pytest.mark.parametrize("ending", ["csv", "xls", "zip"])
def test_mice_protein_as_csv_xls_or_zip(ending, folder_of, original_data, monkeypatch):
    folder, originals = folder_of("mice_protein"), original_data / "mice_protein"
    if ending == "zip":
        with zipfile.ZipFile(folder / "mice+protein+expression.zip", "w") as archive:
            archive.write(originals / "Data_Cortex_Nuclear.xls", "Data_Cortex_Nuclear.xls")
    else:
        (folder / f"Data_Cortex_Nuclear.{ending}").symlink_to(
            originals / f"Data_Cortex_Nuclear.{ending}"
        )
    table = load("mice_protein", download=False)
    expected = original("mice_protein", original_data, monkeypatch)
    np.testing.assert_array_equal(table.X, expected.X)
    np.testing.assert_array_equal(table.y, expected.y)
    assert table.feature_names == expected.feature_names


def test_a_missing_package_is_named_with_the_command_that_installs_it(original_data, monkeypatch):
    monkeypatch.setitem(sys.modules, "xlrd", None)
    with pytest.raises(ModuleNotFoundError, match=r"xlrd: pip install 'ipcae\[data\]'"):
        load("mice_protein")
