"""A table is read together with its checksum."""

import hashlib
import os
import threading

import pandas as pd
import pytest

from ipcae.cli.inputs import table_file
from ipcae.cli.inputs.table_file import read_table_file
from ipcae.data.text_format import TextFormat
from ipcae.errors import InputError


@pytest.fixture
def path(tmp_path, numbers):
    numbers.to_csv(tmp_path / "table.csv", index=False)
    return tmp_path / "table.csv"


def test_the_table_comes_with_size_and_checksum(path, numbers):
    table, text_format, source = read_table_file(path)
    pd.testing.assert_frame_equal(table, numbers)
    assert text_format == TextFormat(",", ".", "utf-8")
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
        def call(*arguments):
            both.wait()
            return function(*arguments)

        return call

    monkeypatch.setattr(table_file, "parse_table", meeting(table_file.parse_table))
    monkeypatch.setattr(table_file, "_describe", meeting(table_file._describe))
    assert read_table_file(path)[2]["bytes"] == path.stat().st_size


@pytest.mark.parametrize("ending", ["csv", "tsv.gz", "parquet"])
def test_select_reads_its_table_once(select, numbers, monkeypatch, tmp_path, ending):
    """What is read is what is hashed, even if the file changes meanwhile.

    The first line of a text file is read before that, to find mistakes early.
    """
    path = tmp_path / f"rows.{ending}"
    if ending == "parquet":
        numbers.to_parquet(path)
    else:
        numbers.to_csv(path, index=False, sep="\t" if "tsv" in ending else ",")
    opened = []
    for name in ("io.open", "builtins.open"):
        original = open

        def watching(file, *arguments, original=original, **options):
            opened.append(str(file))
            return original(file, *arguments, **options)

        monkeypatch.setattr(name, watching)
    assert select(path, "-q").code == 0
    assert opened.count(str(path)) == (1 if ending == "parquet" else 2)


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
