"""Which processes share the work of a fit."""

from __future__ import annotations

import atexit
import os
import warnings
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from contextvars import ContextVar
from datetime import timedelta
from typing import TypeVar

import numpy as np
import torch
from torch import distributed as torch_distributed

from ipcae.context import temporarily
from ipcae.distributed.ending import ending_on_request
from ipcae.distributed.processes import Processes
from ipcae.errors import InputError, TrainingWarning

T = TypeVar("T")
WAYS = ("runs", "rows")
_LONGEST = timedelta(days=30)  # a process may wait for the others until they are done

_active: ContextVar[Processes | None] = ContextVar("processes", default=None)


def active() -> Processes | None:
    """Return the processes that share the work, or None outside :func:`spread`."""
    return _active.get()


def is_first() -> bool:
    """Return whether this process prints and writes files: the first one, or the only one."""
    processes = active()
    return processes is None or processes.first


def of_first_process(value: T) -> T:
    """Return the first process's value of something that may differ, such as free memory."""
    processes = active()
    return value if processes is None else processes.of_first(value)


def started_by_torchrun() -> bool:
    """Return whether this is a process of ``torchrun``."""
    return "RANK" in os.environ and "WORLD_SIZE" in os.environ


@contextmanager
def spread(over: str = "runs") -> Iterator[Processes]:
    """Spread the work of every fit in this block over the processes of ``torchrun``.

    Every process must fit the same data with the same settings, and gets the same result. Only the
    first one shows progress and warnings. If a process ends, the others raise a
    :class:`~ipcae.errors.LostProcessError`. In a single process, nothing changes.

    Parameters
    ----------
    over : {"runs", "rows"}, default="runs"
        What is spread. "runs": every process trains some of the runs. On the CPU, the result is
        that of a single process, bit for bit. "rows": every process computes the gradients of some
        rows of every batch, which are summed. On the CPU, the result is that of a single process
        up to rounding.

    Yields
    ------
    Processes
        With ``rank``, ``size`` and ``first``.

    See Also
    --------
    SelectorCV : Folds and numbers of features are runs, which are spread as well.
    StabilitySelection : Subsamples are runs, which are spread as well.

    Examples
    --------
    Without ``torchrun``, there is one process:

    >>> with spread("runs") as processes:
    ...     processes.size, processes.first
    (1, True)
    """
    if over not in WAYS:
        raise InputError(f"spread({over!r}) is not understood: expected 'runs' or 'rows'.")
    if not (torch_distributed.is_initialized() or started_by_torchrun()):
        yield Processes()
        return
    with ExitStack() as stack:
        if not torch_distributed.is_initialized():
            _connect()
        rank, size = torch_distributed.get_rank(), torch_distributed.get_world_size()
        stack.enter_context(ending_on_request(rank, size))
        processes = Processes(rank, size, rows=over == "rows")
        # The seeds that random_state=None draws must be the same.
        np.random.set_state(processes.of_first(np.random.get_state()))  # noqa: NPY002
        if not processes.first:
            stack.enter_context(warnings.catch_warnings())
            warnings.simplefilter("ignore", TrainingWarning)
        yield stack.enter_context(temporarily(_active, processes))


def _connect() -> None:
    """Connect the processes until they end: gloo for the CPU, NCCL for one GPU each.

    Processes of torchrun can connect only once: the second time, they would wait for each other.
    """
    backend = "gloo"
    if torch.cuda.is_available():
        local = int(os.environ.get("LOCAL_RANK", 0))
        n_local = int(os.environ.get("LOCAL_WORLD_SIZE", 1))
        torch.cuda.set_device(local % torch.cuda.device_count())
        own = n_local <= torch.cuda.device_count() and torch_distributed.is_nccl_available()
        backend = f"cpu:gloo,cuda:{'nccl' if own else 'gloo'}"
    torch_distributed.init_process_group(backend, timeout=_LONGEST)
    atexit.register(torch_distributed.destroy_process_group)
