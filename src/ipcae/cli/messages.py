"""What a command tells the person, unless told to be quiet."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from ipcae.errors import TrainingWarning
from ipcae.text import printable


class Messages:
    """Sentences for standard output, and warnings for standard error and the files.

    >>> messages = Messages(quiet=True)
    >>> messages.say("nobody reads this")
    >>> messages.warn("but this is kept")
    >>> messages.warnings
    ['but this is kept']
    """

    def __init__(self, quiet: bool = False):
        self.quiet = quiet
        self.warnings: list[str] = []

    def say(self, text: str = "") -> None:
        """Print a line."""
        if not self.quiet:
            print(printable(text, keep="\n"), flush=True)

    def note(self, text: str) -> None:
        """Print a line on standard error, where it is in no script's way."""
        if not self.quiet:
            # On a terminal, a progress line that never came to its end gives way.
            clear = "\r\x1b[2K" if sys.stderr.isatty() else ""
            print(f"{clear}{printable(text)}", file=sys.stderr, flush=True)

    def warn(self, text: str) -> None:
        """Print a warning, and keep it for the files."""
        self.warnings.append(text)
        self.note(f"warning: {text}")

    @contextmanager
    def showing_warnings(self) -> Iterator[None]:
        """Turn Python's warnings into lines of ours as they happen."""

        def show(message: Warning | str, *where: Any, **more: Any) -> None:
            self.warn(str(message))

        with warnings.catch_warnings():
            warnings.filterwarnings("always", category=TrainingWarning)
            warnings.showwarning = show
            yield
