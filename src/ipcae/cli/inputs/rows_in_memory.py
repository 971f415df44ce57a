"""Options that need all rows in memory, and tables that are read in parts."""

from __future__ import annotations

from shlex import quote

from ipcae.cli.options.selection_options import FitOptions
from ipcae.errors import InputError
from ipcae.selectors import METHODS
from ipcae.sources import ParquetSource, Source
from ipcae.text import listed


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
