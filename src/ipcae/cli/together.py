"""A command run by several ``torchrun`` processes, of which one prints and writes."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from ipcae.cli import exits
from ipcae.distributed import Processes
from ipcae.errors import InputError


@contextmanager
def checked_together(processes: Processes) -> Iterator[None]:
    """End all processes if the input of one is invalid in this block; report an error once."""
    error = None
    try:
        yield
    except InputError as found:
        error = found
    failed = processes.gathered(error is not None)
    if error is not None and failed.index(True) == processes.rank:
        raise error
    if any(failed):
        raise SystemExit(exits.BAD_INPUT)
