"""The output of a command: messages, tables and warnings."""

from __future__ import annotations

import re
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, TextIO

from rich.console import Console, RenderableType
from rich.text import Text

from ipcae.errors import FarTargetWarning, MissingCodeWarning, TrainingWarning
from ipcae.text import printable

FILE_WIDTH = 10_000
"""Characters per line if the output is not a terminal, so that no table is cut or wrapped."""


class Messages:
    """Prints messages to standard output and warnings to standard error, unless quiet.

    All warnings are kept for the result files.

    >>> messages = Messages(quiet=True)
    >>> messages.say("not printed")
    >>> messages.warn("not printed, but kept")
    >>> messages.warnings
    ['not printed, but kept']
    """

    def __init__(self, quiet: bool = False):
        self.quiet = quiet
        self.warnings: list[str] = []
        self.interrupted = False

    def say(self, text: str = "") -> None:
        """Print text to standard output."""
        if not self.quiet:
            print(printable(text, keep="\n"), flush=True)

    def show(self, table: RenderableType) -> None:
        """Print a table to standard output."""
        if not self.quiet:
            console = console_for(sys.stdout)
            with console.capture() as captured:
                console.print(table)
            lines = captured.get().splitlines()
            print("\n".join(line.rstrip() for line in lines), flush=True)

    def verdict(self, text: str, *, good: bool) -> None:
        """Print a line to standard output, in green or yellow on a terminal."""
        if not self.quiet:
            console = console_for(sys.stdout)
            console.print(Text(printable(text), style="bold green" if good else "bold yellow"))

    def note(self, text: str) -> None:
        """Print a line to standard error."""
        if not self.quiet:
            print(printable(text), file=sys.stderr, flush=True)

    def warn(self, text: str) -> None:
        """Print a warning to standard error, and keep it."""
        self.warnings.append(text)
        self.note(f"warning: {text}")

    def warn_of_interruption(self, text: str) -> None:
        """Print a warning that the user interrupted a part of the command."""
        self.interrupted = True
        self.warn(text)

    @contextmanager
    def showing_warnings(self) -> Iterator[None]:
        """Print Python's warnings as messages."""

        def show(message: Warning | str, *where: Any, **more: Any) -> None:
            # Several steps of a command may predict the same rows.
            text = of_a_table(str(message))
            if text not in self.warnings:
                self.warn(text)

        with warnings.catch_warnings():
            warnings.filterwarnings("always", category=TrainingWarning)
            # The whole table was checked for these when it was read.
            warnings.filterwarnings("ignore", category=MissingCodeWarning)
            warnings.filterwarnings("ignore", category=FarTargetWarning)
            warnings.showwarning = show
            yield


def of_a_table(text: str) -> str:
    """Return a warning or an error of the library in terms of the command line.

    >>> of_a_table("X has levels that were not seen in fit (city: 7).")
    'the table has levels that were not seen in training (city: 7).'
    >>> of_a_table("1 of 9 columns of X is left out (crp: every value is missing).")
    '1 of 9 columns of the training rows is left out (crp: every value is missing).'
    """
    text = re.sub(r"^X(?= has )", "the table", text)
    text = re.sub(r"\b(seen|as) in fit\b", r"\1 in training", text)
    text = re.sub(r"; [^;]* before fit: astype.*", ".", text)
    return text.replace(" columns of X ", " columns of the training rows ")


def console_for(stream: TextIO) -> Console:
    """Return a console that styles its output on a terminal only, and prints names literally."""
    terminal = stream.isatty()
    return Console(
        file=stream,
        force_terminal=terminal,
        width=None if terminal else FILE_WIDTH,
        markup=False,
        emoji=False,
        highlight=False,
    )
