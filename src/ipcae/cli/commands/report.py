"""The arguments and options of ``ipcae report``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ipcae.cli.commands.shared import Grid, Quiet
from ipcae.cli.exits import with_exit_code


@with_exit_code
def report(
    folder: Annotated[
        Path,
        typer.Argument(metavar="DIR", show_default=False, help="Folder written by select."),
    ],
    grid: Grid = None,
    quiet: Quiet = False,
) -> int:
    """Rewrite DIR/report.html: one page with the features, the curves and the comparisons.

    If the table still exists and has not changed, it is split as before and the report includes
    the metrics on the held-out rows. Otherwise these sections are left out.
    """
    from ipcae.cli.options.parsing import parse_grid
    from ipcae.cli.outputs.folder import check_results

    shape = parse_grid(grid)
    check_results(folder.expanduser())
    from ipcae.cli.outputs.report import rewrite_report  # imports PyTorch, which takes seconds

    return rewrite_report(folder.expanduser(), shape, quiet=quiet)
