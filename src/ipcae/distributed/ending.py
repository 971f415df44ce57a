"""Stop a process with an error message when another one ends."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

import torch

from ipcae.errors import LostProcessError

_ADVICE = (
    "Nothing was written, except for checkpoints: with --checkpoint (checkpoint=), start again "
    "with --resume (resume=True), and the training continues from the last one."
)


@contextmanager
def naming_the_end(rank: int, size: int) -> Iterator[None]:
    """Turn a failed communication into a :class:`LostProcessError`."""
    try:
        yield
    except torch.OutOfMemoryError:
        raise
    except RuntimeError as error:  # of every backend
        lines = str(error).splitlines() or [type(error).__name__]
        raise LostProcessError(
            f"process {rank} of {size} ends, because another process of this training has ended "
            f"({_reason(lines[0])}). {_ADVICE}"
        ) from error


@contextmanager
def ending_on_request(rank: int, size: int) -> Iterator[None]:
    """Turn SIGTERM, which ``torchrun`` sends after a process has ended, into an exit.

    Unlike an error, an exit is not caught on the way.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def on_signal(number: int, frame: FrameType | None) -> None:
        raise SystemExit(
            f"error: process {rank} of {size} ends on request, because another process of this "
            f"training has ended. {_ADVICE}"
        )

    previous = signal.signal(signal.SIGTERM, on_signal)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, previous)


def _reason(line: str) -> str:
    """Return the end of a message such as "[file.cc:538] Connection closed by peer [...]:123"."""
    text = line.rpartition("] ")[2] if line.startswith("[") and "] " in line else line
    return text.split(" [")[0].rstrip(". ")[:100]
