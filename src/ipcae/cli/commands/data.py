"""The arguments and options of ``ipcae data``."""

from __future__ import annotations

from typing import Annotated

import typer

from ipcae.cli.commands.shared import Quiet
from ipcae.cli.exits import exit_code


def list_data() -> None:
    """List the data sets, their licenses, and where they are stored."""

    def work() -> int:
        from ipcae.cli.data import list_datasets

        return list_datasets()

    raise typer.Exit(exit_code(work))


def get_data(
    names: Annotated[
        list[str] | None,
        typer.Argument(metavar="NAME...", show_default=False, help="Data sets, such as isolet."),
    ] = None,
    everything: Annotated[bool, typer.Option("--all", help="Download all data sets.")] = False,
    quiet: Quiet = False,
) -> None:
    """Download data sets into the cache and verify them. Files in the cache are only verified."""

    def work() -> int:
        from ipcae.cli.data import get_datasets

        return get_datasets(names or [], everything=everything, quiet=quiet)

    raise typer.Exit(exit_code(work))
