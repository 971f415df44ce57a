"""Reading ahead in a thread."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from itertools import islice
from typing import TypeVar

T = TypeVar("T")


def grouped(parts: Sequence[T], sizes: Iterable[int], most: int) -> list[list[T]]:
    """Put consecutive parts together that are read at once, up to ``most`` rows.

    >>> grouped("abcde", [2, 2, 2, 3, 5], most=4)
    [['a', 'b'], ['c'], ['d'], ['e']]
    """
    groups: list[list[T]] = [[]]
    n_rows = 0
    for part, size in zip(parts, sizes, strict=True):
        if groups[-1] and n_rows + size > most:
            groups.append([])
            n_rows = 0
        groups[-1].append(part)
        n_rows += size
    return groups


def read_ahead(reads: Iterable[Callable[[], T]], depth: int) -> Iterator[T]:
    """Yield the results of functions, called in a thread while the results before are used.

    At most ``depth`` results wait. An error is raised where its result would be.

    >>> list(read_ahead((lambda n=n: n * n for n in range(4)), depth=2))
    [0, 1, 4, 9]
    """
    remaining = iter(reads)
    with ThreadPoolExecutor(1, thread_name_prefix="ipcae-reader") as reader:
        waiting: deque[Future[T]] = deque()
        try:
            waiting.extend(map(reader.submit, islice(remaining, depth)))
            while waiting:
                result = waiting.popleft().result()
                waiting.extend(map(reader.submit, islice(remaining, 1)))
                yield result
                del result
        finally:
            for future in waiting:
                future.cancel()
