"""The output folder of ``ipcae select``."""

import json
import os
from collections import namedtuple
from pathlib import Path

import numpy as np
import pytest

from ipcae import Concrete, InputError
from ipcae.cli.outputs.folder import check_writable, new_folder, write_file
from ipcae.cli.outputs.json_text import plain


def test_results_have_a_new_folder_by_default(tmp_path, monkeypatch, ipcae):
    monkeypatch.chdir(tmp_path)
    table = tmp_path / "patients.csv"
    rows = np.random.default_rng(0).normal(size=(30, 4))
    np.savetxt(table, rows, delimiter=",", header="a,b,c,d", comments="")
    hasty = "--epochs", 1, "--runs", 1, "--no-verdict", "--method", "ip-cae"
    for folder in ("patients-selected", "patients-selected-2"):
        outcome = ipcae("select", table, "-k", 2, *hasty)
        assert outcome.code == 0, outcome.err
        assert f"{folder}/report.html" in outcome.out
        assert len((tmp_path / folder / "selected.txt").read_text().split()) == 2
    assert new_folder(tmp_path) == Path(f"{tmp_path.name}-selected")


def test_a_file_is_replaced_whole(tmp_path):
    path = tmp_path / "x.txt"
    write_file(path, "first")
    with path.open() as reader:
        write_file(path, "second")
        # Whoever reads the old file keeps the old file.
        assert reader.read() == "first"
    assert [file.name for file in tmp_path.iterdir()] == ["x.txt"]


def test_a_write_that_fails_leaves_the_old_file(tmp_path, monkeypatch):
    path = tmp_path / "x.txt"
    write_file(path, "first")

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.replace", full)
    with pytest.raises(OSError, match=r"cannot write: No space.*x\.txt"):
        write_file(path, "second")
    assert path.read_text() == "first"
    assert [file.name for file in tmp_path.iterdir()] == ["x.txt"]


def test_the_probe_leaves_nothing_behind(tmp_path):
    check_writable(tmp_path / "a" / "b", 100_000)
    assert list((tmp_path / "a" / "b").iterdir()) == []


def test_json_has_no_nan():
    value = {"a": np.array([1.0, np.nan, np.inf]), "b": Concrete(), "c": Path("x"), "d": True}
    text = json.dumps(plain(value), allow_nan=False)
    assert json.loads(text)["a"] == [1.0, None, None]
    assert json.loads(text)["b"].startswith("Concrete(")
    assert json.loads(text)["d"] is True


def test_the_probe_writes_little(tmp_path, monkeypatch):
    written = []
    monkeypatch.setattr("os.fsync", lambda file: written.append(os.fstat(file).st_blocks * 512))
    check_writable(tmp_path, 50_000_000)
    assert written
    assert max(written) < 1_000_000


def test_too_little_disk_space_is_reported(tmp_path, monkeypatch):
    disk = namedtuple("Disk", "total used free")(10**9, 10**9 - 2_000_000, 2_000_000)
    monkeypatch.setattr("shutil.disk_usage", lambda _: disk)
    check_writable(tmp_path, 1_000_000)
    with pytest.raises(
        InputError, match=r"cannot write 3.0 MB .*only 2.0 MB are free.*free some space"
    ):
        check_writable(tmp_path, 3_000_000)
