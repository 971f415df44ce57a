"""Random numbers that trainings in several threads draw once.

The folds of a cross-validation have the same seeds, so that they need the same random numbers in
the same step, whatever their rows are.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Hashable, Iterator
from concurrent.futures import Future
from contextlib import contextmanager
from contextvars import ContextVar

from torch import Tensor

from ipcae.context import temporarily

_MOST_DRAWS, _MOST_BYTES = 16, 2**27  # those of a few steps


class SharedDraws:
    """The latest draws, by whatever determines them.

    >>> import torch
    >>> draws = SharedDraws()
    >>> first = draws.get("a", lambda: torch.zeros(2))
    >>> draws.get("a", lambda: torch.ones(2)) is first
    True
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._drawn: dict[Hashable, Future[Tensor]] = {}  # the oldest first

    def get(self, key: Hashable, draw: Callable[[], Tensor]) -> Tensor:
        """Return the draw of this key; wait for it if another thread is about to make it."""
        with self._lock:
            known = self._drawn.get(key)
            drawn = self._drawn.setdefault(key, Future())
        if known is not None:
            return known.result()
        try:
            drawn.set_result(draw())
        except BaseException as error:
            drawn.set_exception(error)
            raise
        with self._lock:
            self._forget()
        return drawn.result()

    def _forget(self) -> None:
        """Forget the oldest draws that are too many."""
        done = {key: drawn.result().nbytes for key, drawn in self._drawn.items() if drawn.done()}
        n_draws, n_bytes = len(done), sum(done.values())
        for key, size in done.items():
            if n_draws <= _MOST_DRAWS and n_bytes <= _MOST_BYTES:
                return
            del self._drawn[key]
            n_draws, n_bytes = n_draws - 1, n_bytes - size


_current: ContextVar[SharedDraws | None] = ContextVar("shared_draws", default=None)


def shared_draws() -> SharedDraws | None:
    """Return the draws that this thread shares with others, or None."""
    return _current.get()


@contextmanager
def sharing_draws() -> Iterator[None]:
    """Let all threads that are started in this block share their draws."""
    with temporarily(_current, SharedDraws()):
        yield
