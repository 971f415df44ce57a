"""Tables that the commands read in parts because they do not fit into memory."""

from __future__ import annotations

import hashlib
from pathlib import Path
from shlex import quote
from typing import Any

import numpy as np
import pandas as pd
import torch

from ipcae.arrays import Integers, sample_of
from ipcae.cli.inputs.finding_columns import column_named, columns_to_drop
from ipcae.cli.inputs.sparse_cells import cell_column, in_memory, stays_sparse
from ipcae.cli.options.selection_options import FitOptions, InputOptions
from ipcae.devices import free_bytes
from ipcae.errors import InputError
from ipcae.selectors import METHODS
from ipcae.sources import ParquetSource, Source, open_source
from ipcae.sources.opening import SUFFIXES
from ipcae.text import byte_size, listed

BYTES_PER_VALUE = 32
"""What reading, encoding, splitting and scaling a table in memory takes at its peak."""
SAMPLE_VALUES = 2**24
"""The most values of a sample of the rows, unless it has fewer than 100 rows."""


class SourceFrame:
    """What the commands use of a data frame, for a table that is read in parts."""

    def __init__(self, source: Source):
        self.source = source
        self.shape = source.shape
        self.columns = source.names or []

    def __len__(self) -> int:
        return self.shape[0]

    @property
    def iloc(self) -> SourceFrame:
        """The rows by their positions."""
        return self

    def __getitem__(self, rows: Integers) -> Source:
        return self.source.subset(rows)

    def sample(self, rows: Integers, seed: int) -> Integers:
        """Return some rows or, if they would take too much memory, a random sample of them."""
        return sample_of(rows, max(SAMPLE_VALUES // self.shape[1], 100), seed)

    def in_memory(self, rows: Integers) -> pd.DataFrame:
        """Return some rows as a data frame."""
        return pd.DataFrame(self.source.take(rows).numpy(), columns=self.columns)


def can_be_read_in_parts(path: Path) -> bool:
    """Return whether a table is in a folder, or in a file of a kind that is read in parts."""
    return path.is_dir() or path.suffix in SUFFIXES


def is_stored_table(path: Path) -> bool:
    """Return whether a table is in a folder or file that only sources read."""
    return path.is_dir() or path.suffix in (".zarr", ".npy", ".h5", ".hdf5")


def open_if_large(options: InputOptions) -> Source | None:
    """Open a table in parts if ``--stream`` asks for it, or if it does not fit into memory.

    A large sparse matrix of cells is read into memory, and its rows become dense in parts.
    """
    path = options.table
    if options.stream is False or not can_be_read_in_parts(path) or not path.exists():
        if options.stream:
            raise InputError(
                f"{path} cannot be read in parts (--stream): expected a folder of .parquet files "
                f"or one of {', '.join(SUFFIXES)}."
            )
        return None
    source = named(open_source(path, key=options.layer))
    needed = source.shape[0] * source.shape[1] * BYTES_PER_VALUE
    free = free_bytes(torch.device("cpu"))
    if options.stream or (free is not None and needed > free):
        return source
    return in_memory(source) if stays_sparse(source, options) else None


def stored_frame(path: Path) -> pd.DataFrame:
    """Read a folder or file that only sources read as a whole."""
    source = open_source(path)
    if isinstance(source, ParquetSource):
        return pd.concat(
            [group.to_table().to_pandas() for group in source.groups], ignore_index=True
        )
    rows = source.take(np.arange(len(source))).numpy()
    return pd.DataFrame(rows, columns=named(source).names)


def features_and_target(
    source: Source, options: InputOptions
) -> tuple[SourceFrame, pd.Series | None]:
    """Return the columns that may be selected, and the target."""
    place = str(options.table)
    asked = {
        "--missing": options.missing != "error",
        "--missing-value": bool(options.missing_values),
        "--time": options.time is not None,
        "--groups": options.groups is not None,
        "--weights": options.weights is not None,
    }
    for option, given in asked.items():
        if given:
            raise refused(option, place)
    names, target, y = source.names or [], options.target, None
    dropped = columns_to_drop(options.drop, names, place, target)
    dropped += [column_named(name, names, place, "--id") for name in options.id]
    if target is not None:
        y = target_of(source, options)
        dropped += [target] if target in names else []
    kept = source.drop(dropped) if dropped else source
    check_columns(kept, place)
    return SourceFrame(kept), y


def target_of(source: Source, options: InputOptions) -> pd.Series:
    """Return the column to predict; raise an error if a row lacks it."""
    assert options.target is not None
    if options.table.suffix == ".h5ad":
        return cell_column(options, options.target, "--target")
    if isinstance(source, ParquetSource):
        y = pd.Series(source.column(options.target), name=options.target)
    else:
        column = open_source(options.table, options.target, key=options.layer)[1]
        y = pd.Series(column, name=options.target)
    if y.isna().any():
        raise InputError(
            f'the target "{options.target}" is missing in {int(y.isna().sum())} of {len(y)} rows '
            f"of {options.table}: fill in the values, or remove these rows."
        )
    return y


def describe_stored(path: Path) -> dict[str, Any]:
    """Return the path and size of a table; its checksum is that of names, sizes and times."""
    files = sorted(path.rglob("*")) if path.is_dir() else [path]
    facts = [
        (str(file.relative_to(path.parent)), file.stat().st_size, file.stat().st_mtime_ns)
        for file in files
        if file.is_file()
    ]
    digest = hashlib.sha256(repr(facts).encode()).hexdigest()
    total = sum(size for _, size, _ in facts)
    return {"path": str(path), "bytes": total, "sha256": digest}


def describe_reading(source: Source) -> str:
    """Say how a table is read."""
    if source.in_memory:
        return (
            "The matrix stays sparse: only the cells of a batch become dense, and some checks of "
            "the columns are left out (--no-stream makes it dense)."
        )
    size = byte_size(source.shape[0] * source.row_bytes)
    return (
        f"The table is read in parts ({size} of numbers): rows are shuffled within "
        f"{byte_size(source.window_bytes)}, and some checks of the columns are left out."
    )


def named(source: Source) -> Source:
    """Name the columns of a source that has no names x0, x1 and so on."""
    if source.names is None:
        source.names = [f"x{column}" for column in range(source.shape[1])]
    return source


def refused(option: str, place: str, instead: str = "leave it out") -> InputError:
    """Return the error for an option that a table that is read in parts does not have.

    >>> refused("--fdr", "cells.zarr")
    InputError('--fdr needs all rows in memory, but cells.zarr is read in parts: leave it out, or \
pass --no-stream if the table fits into memory.')
    """
    return InputError(
        f"{option} needs all rows in memory, but {place} is read in parts: {instead}, or pass "
        "--no-stream if the table fits into memory."
    )


def check_options(options: FitOptions, place: str) -> None:
    """Raise an error if an option needs all rows of a table that is read in parts."""
    if options.counts:
        raise refused("The comparison of several numbers of columns", place, "choose one with -k")
    if options.fdr is not None:
        raise refused("--fdr", place)
    method = METHODS.get(options.method or "")
    readable = method is not None and (method.streams or method.samples)
    if options.method is not None and not readable:
        raise refused(f"--method {options.method}", place, "leave it out or use ip-cae")


def check_columns(source: Source, place: str) -> None:
    """Raise an error that names the columns that cannot be read in parts."""
    text = source.not_numeric() if isinstance(source, ParquetSource) else []
    if text:
        drops = " ".join(f"--drop {quote(name)}" for name in text[:5])
        more = " …" if len(text) > 5 else ""
        are, them = (f"{len(text)} columns are", "them") if text[1:] else ("1 column is", "it")
        raise InputError(
            f"{are} not numeric ({listed(text)}), but {place} is read in parts, which needs "
            f"numbers: leave {them} out with {drops}{more}, or pass --no-stream if the table fits "
            "into memory."
        )
