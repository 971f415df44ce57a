"""Reading a table together with its checksum."""

from __future__ import annotations

import hashlib
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pandas as pd

from ipcae.cli.inputs.streamed_table import describe_stored, is_stored_table
from ipcae.data.tabular import parse_table, read_bytes
from ipcae.data.text_format import DETECTED, TextFormat
from ipcae.errors import InputError
from ipcae.filesystem.special_files import refuse_special

Source = dict[str, Any]
"""The path, size and SHA-256 of a file; or the name of a table that is not a file."""


def read_table_file(
    path: Path, given: TextFormat = DETECTED
) -> tuple[pd.DataFrame, TextFormat | None, Source]:
    """Read a file once; return the table, the format of a text file, and the source.

    The checksum is computed in a thread while the table is parsed from the same bytes.
    """
    content = read_bytes(path)
    with ThreadPoolExecutor(1) as pool:
        source = pool.submit(_describe, path, content)
        table, text_format = parse_table(content, path, given)
    return table, text_format, source.result()


def describe_file(path: Path) -> Source:
    """Return the path, size and SHA-256 of a file; an AnnData file may be larger than memory."""
    if is_stored_table(path) and path.exists():
        return describe_stored(path)
    if path.suffix != ".h5ad":
        return _describe(path, read_bytes(path))
    refuse_special(path)
    if not path.is_file():
        raise InputError(f"{path} does not exist.")
    with path.open("rb") as file:
        digest = hashlib.file_digest(file, "sha256")
        return {"path": str(path), "bytes": file.tell(), "sha256": digest.hexdigest()}


def _describe(path: Path, content: bytes) -> Source:
    digest = hashlib.sha256(content).hexdigest()
    return {"path": str(path), "bytes": len(content), "sha256": digest}
