"""Trainings that take turns, a step each.

More trainings than threads may run side by side: those that need the same random numbers in the
same step then draw them once (:mod:`ipcae.runs.shared_draws`).
"""

from __future__ import annotations

import heapq
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from itertools import count

from ipcae.context import temporarily


class RoundRobin:
    """Lets some of many threads work at a time; the others wait in line.

    ``n_threads`` threads begin; the first ones work when all of them are in line. The one that took
    the fewest steps is the next: a thread that was held up catches up with the others.
    """

    def __init__(self, n_threads: int, n_at_a_time: int):
        self._n_missing, self._n_at_a_time = n_threads, n_at_a_time
        self._line: list[tuple[int, int, threading.Lock]] = []  # a heap: steps, arrival, who waits
        self._arrivals = count()
        self._n_steps: dict[int, int] = {}  # by thread
        self._lock = threading.Lock()

    @contextmanager
    def turn(self) -> Iterator[None]:
        """Work in this block, once it is this thread's turn."""
        with self._lock:
            place = self._queue(0)
            self._n_missing -= 1
            if not self._n_missing:
                for _ in range(self._n_at_a_time):
                    self._call_next()
        self._wait(place)
        try:
            yield
        finally:
            with self._lock:
                self._call_next()

    def pause(self) -> None:
        """Let threads in line that have taken no more steps go first."""
        with self._lock:
            n_steps = self._n_steps[threading.get_ident()] + 1
            self._n_steps[threading.get_ident()] = n_steps
            if not self._line or self._line[0][0] > n_steps:
                return
            place = self._queue(n_steps)
            self._call_next()
        self._wait(place)

    def _queue(self, n_steps: int) -> threading.Lock:
        self._n_steps[threading.get_ident()] = n_steps
        place = threading.Lock()
        place.acquire()
        heapq.heappush(self._line, (n_steps, next(self._arrivals), place))
        return place

    def _call_next(self) -> None:
        if self._line:
            heapq.heappop(self._line)[-1].release()

    def _wait(self, place: threading.Lock) -> None:
        try:
            place.acquire()
        except BaseException:  # a second Ctrl-C
            with self._lock:
                others = [each for each in self._line if each[-1] is not place]
                if len(others) == len(self._line):  # it was this thread's turn
                    self._call_next()
                else:
                    self._line = others
                    heapq.heapify(self._line)
            raise


_current: ContextVar[RoundRobin | None] = ContextVar("round_robin", default=None)


@contextmanager
def round_robin(n_threads: int, n_at_a_time: int) -> Iterator[RoundRobin]:
    """Let the trainings in all threads that are started in this block take turns."""
    with temporarily(_current, RoundRobin(n_threads, n_at_a_time)) as turns:
        yield turns


def end_step() -> None:
    """Let another training take its step, if trainings take turns."""
    turns = _current.get()
    if turns is not None:
        turns.pause()
