"""Reading a table together with its checksum."""

from __future__ import annotations

import hashlib
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pandas as pd

from ipcae.data import read_table
from ipcae.errors import InputError
from ipcae.special_files import refuse_special

Source = dict[str, Any]
"""The path, size and SHA-256 of a file; or the name of a table that is not a file."""


def read_table_file(path: Path) -> tuple[pd.DataFrame, Source]:
    """Read a table and compute its checksum at the same time.

    The checksum is computed in a thread while the table is parsed, so the file is read from the
    disk only once.

    Raises
    ------
    InputError
        If the file cannot be read as a table, or changes while it is read.
    """
    before = _version(path)
    with ThreadPoolExecutor(1) as pool:
        source = pool.submit(describe_file, path)
        table = read_table(path)
    if _version(path) != before:
        raise InputError(f"{path} changed while it was read: run the command again.")
    return table, source.result()


def describe_file(path: Path) -> Source:
    """Return the path, size and SHA-256 of a file."""
    refuse_special(path)  # a pipe would block
    with path.open("rb") as file:
        digest = hashlib.file_digest(file, "sha256")
        size = file.tell()
    return {"path": str(path), "bytes": size, "sha256": digest.hexdigest()}


def _version(path: Path) -> tuple[int, int] | None:
    try:
        stat = path.stat()
    except OSError:
        return None
    return stat.st_size, stat.st_mtime_ns
