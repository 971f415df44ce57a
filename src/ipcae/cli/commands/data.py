"""The arguments and options of ``ipcae data``."""

from __future__ import annotations

from typing import Annotated

import typer

from ipcae.cli.commands.shared import Quiet
from ipcae.cli.exits import with_exit_code


@with_exit_code
def list_data() -> int:
    """List the data sets, their licenses, and where they are stored."""
    from ipcae.cli.data import list_datasets

    return list_datasets()


@with_exit_code
def get_data(
    names: Annotated[
        list[str] | None,
        typer.Argument(metavar="NAME...", show_default=False, help="Data sets, such as isolet."),
    ] = None,
    everything: Annotated[bool, typer.Option("--all", help="Download all data sets.")] = False,
    quiet: Quiet = False,
) -> int:
    """Download data sets into the cache and verify them. Files in the cache are only verified."""
    from ipcae.cli.data import get_datasets

    return get_datasets(names or [], everything=everything, quiet=quiet)
