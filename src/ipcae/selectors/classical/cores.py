"""The threads of linear algebra in a container."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import joblib
from threadpoolctl import threadpool_info, threadpool_limits


@contextmanager
def within_cores() -> Iterator[None]:
    """Use no more threads of BLAS and OpenMP than there are cores for this process.

    In a container that may use 16 of 200 cores, BLAS starts a thread for each of the 200. They wait
    for each other, and a decomposition that should take a second can take minutes. Lower limits are
    kept.

    >>> with within_cores():
    ...     most = max((library["num_threads"] for library in threadpool_info()), default=1)
    >>> most <= joblib.cpu_count()
    True
    """
    n_cores = joblib.cpu_count()  # respects the quota of a container
    used = {library["prefix"]: library["num_threads"] for library in threadpool_info()}
    if max(used.values(), default=1) <= n_cores:
        yield
        return
    with threadpool_limits({prefix: min(number, n_cores) for prefix, number in used.items()}):
        yield
