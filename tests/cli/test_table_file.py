"""A table is read together with its checksum."""

import hashlib
import os
import threading

import pandas as pd
import pytest

from ipcae.cli import table_file
from ipcae.cli.table_file import read_table_file
from ipcae.errors import InputError


@pytest.fixture
def path(tmp_path, numbers):
    numbers.to_csv(tmp_path / "table.csv", index=False)
    return tmp_path / "table.csv"


def test_the_table_comes_with_size_and_checksum(path, numbers):
    table, source = read_table_file(path)
    pd.testing.assert_frame_equal(table, numbers)
    content = path.read_bytes()
    assert source == {
        "path": str(path),
        "bytes": len(content),
        "sha256": hashlib.sha256(content).hexdigest(),
    }


def test_the_checksum_is_computed_while_the_table_is_parsed(path, monkeypatch):
    """Both wait for the other to start."""
    both = threading.Barrier(2, timeout=30)

    def meeting(function):
        def call(argument):
            both.wait()
            return function(argument)

        return call

    monkeypatch.setattr(table_file, "read_table", meeting(table_file.read_table))
    monkeypatch.setattr(table_file, "describe_file", meeting(table_file.describe_file))
    assert read_table_file(path)[1]["bytes"] == path.stat().st_size


def test_select_hashes_its_table_once(select, numbers, monkeypatch):
    hashed = []
    describe = table_file.describe_file
    monkeypatch.setattr(table_file, "describe_file", lambda p: hashed.append(p) or describe(p))
    assert select(numbers, "-q").code == 0
    assert len(hashed) == 1


def test_a_file_that_changes_meanwhile_is_refused(path, monkeypatch):
    def read(file):
        table = pd.read_csv(file)
        with file.open("a") as more:
            more.write("1,2,3,4,5,6,7\n")
        return table

    monkeypatch.setattr(table_file, "read_table", read)
    with pytest.raises(InputError, match=r"table\.csv changed while it was read: run .* again"):
        read_table_file(path)


def test_a_missing_file_and_a_pipe_are_refused(tmp_path):
    with pytest.raises(InputError, match="does not exist"):
        read_table_file(tmp_path / "no.csv")
    if hasattr(os, "mkfifo"):
        os.mkfifo(tmp_path / "pipe.csv")
        with pytest.raises(InputError, match="is a pipe"):
            read_table_file(tmp_path / "pipe.csv")


def test_a_table_that_became_unreadable_has_changed(select, ipcae, numbers, tmp_path):
    assert select(numbers, "-q").code == 0
    (tmp_path / "table.csv").write_text('a,b\n1,"2')
    outcome = ipcae("report", tmp_path / "out")
    assert outcome.code == 0
    assert "has changed since the selection" in outcome.err
