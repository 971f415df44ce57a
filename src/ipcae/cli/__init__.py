"""The command line: ``ipcae select``, ``ipcae demo`` and ``ipcae data``."""

from __future__ import annotations

import sys
from collections.abc import Sequence

__all__ = ["main"]


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line and exit with its code; ``arguments`` are those of the process."""
    try:
        import typer  # noqa: F401
    except ModuleNotFoundError:
        print("error: the command line needs typer: pip install 'ipcae[cli]'", file=sys.stderr)
        sys.exit(2)
    from ipcae.cli.app import run

    # A terminal that lacks a character shows another one; it is no reason to stop.
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")
    sys.exit(run(sys.argv[1:] if arguments is None else arguments))
