"""Handling of Ctrl-C: the current epoch is finished first."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from types import FrameType

from ipcae.context import temporarily


class Interrupt:
    """Whether the user requested to stop."""

    requested = False


_shared: ContextVar[Interrupt | None] = ContextVar("shared", default=None)


@contextmanager
def shared_interrupt() -> Iterator[Interrupt]:
    """Let all trainings within the block stop together, in any thread and in nested blocks."""
    with temporarily(_shared, _shared.get() or Interrupt()) as interrupt:
        yield interrupt


@contextmanager
def interruptible() -> Iterator[Interrupt]:
    """Turn the first Ctrl-C into a request to stop; a second one is handled as usual."""
    interrupt = _shared.get() or Interrupt()
    previous = signal.getsignal(signal.SIGINT)
    in_main_thread = threading.current_thread() is threading.main_thread()
    if not in_main_thread or previous in (signal.SIG_IGN, None):
        yield interrupt
        return

    def on_signal(number: int, frame: FrameType | None) -> None:
        repeated, interrupt.requested = interrupt.requested, True
        signal.signal(signal.SIGINT, previous)
        if repeated and callable(previous):  # the first one was handled within this block
            previous(number, frame)

    signal.signal(signal.SIGINT, on_signal)
    try:
        yield interrupt
    finally:
        signal.signal(signal.SIGINT, previous)
