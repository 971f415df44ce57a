"""Ctrl-C that finishes the epoch."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType


class Interrupt:
    """Whether somebody asked to stop."""

    requested = False


@contextmanager
def interruptible() -> Iterator[Interrupt]:
    """Turn the first Ctrl-C into a request; the second one interrupts as usual."""
    interrupt = Interrupt()
    if threading.current_thread() is not threading.main_thread():
        yield interrupt
        return
    previous = signal.getsignal(signal.SIGINT)

    def on_signal(number: int, frame: FrameType | None) -> None:
        interrupt.requested = True
        signal.signal(signal.SIGINT, previous)

    signal.signal(signal.SIGINT, on_signal)
    try:
        yield interrupt
    finally:
        signal.signal(signal.SIGINT, previous)
