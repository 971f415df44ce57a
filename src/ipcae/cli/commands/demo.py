"""The options of ``ipcae demo``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ipcae.cli.commands.shared import Quiet
from ipcae.cli.exits import with_exit_code


@with_exit_code
def demo(
    out: Annotated[
        Path, typer.Option("--out", "-o", metavar="DIR", help="Folder for the results.")
    ] = Path("demo"),
    quiet: Quiet = False,
) -> int:
    """Select 16 of the 64 pixels of scikit-learn's digits, and plot the result.

    Takes a minute or two and downloads nothing. DIR/demo.png shows the selected pixels, and
    digits next to their reconstructions. Results of an earlier demo are overwritten.
    """
    from ipcae.cli.demo import run_demo

    return run_demo(out.expanduser(), quiet=quiet)
