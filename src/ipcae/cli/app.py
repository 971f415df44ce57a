"""The typer application: registers the commands and runs them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

import typer

from ipcae.cli.commands.command_types import ColumnCommand, SectionedCommand
from ipcae.cli.commands.data import get_data, list_data
from ipcae.cli.commands.demo import demo
from ipcae.cli.commands.evaluate import evaluate
from ipcae.cli.commands.predict import predict
from ipcae.cli.commands.report import report
from ipcae.cli.commands.select import select
from ipcae.cli.exits import BAD_INPUT, print_error
from ipcae.version import __version__

EXIT_CODES = (
    "Exit codes: 0 success; 1 failure; 2 invalid input or usage (the message on standard error "
    "says how to fix it; nothing was trained); 130 interrupted with Ctrl-C (select still writes "
    "the best state so far)."
)

app = typer.Typer(
    help="Select the K most informative columns of a table.",
    epilog=EXIT_CODES,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)
data_app = typer.Typer(help="List and download the data sets of the paper.")


def run(arguments: Sequence[str]) -> int:
    """Run a command line and return its exit code."""
    command = typer.main.get_command(app)
    try:
        code = command.main(args=list(arguments), prog_name="ipcae", standalone_mode=False)
    except Exception as error:
        # Usage errors have this method in every version of typer; their base class differs.
        if not hasattr(error, "format_message"):
            raise
        message = str(error.format_message()).strip().rstrip(".")
        message += "" if message.endswith("?") or not message else "."
        context = getattr(error, "ctx", None)
        path = context.command_path if context else "ipcae"
        return print_error(f"{message} See `{path} --help`.", BAD_INPUT) if message else BAD_INPUT
    return code if isinstance(code, int) else 0


@app.callback(invoke_without_command=True)
def top(
    context: typer.Context,
    version: Annotated[bool, typer.Option("--version", help="Print the version and exit.")] = False,
) -> None:
    """Select the K most informative columns of a table."""
    if version:
        typer.echo(f"ipcae {__version__}")
        raise typer.Exit
    if context.invoked_subcommand is None:
        typer.echo(context.get_help(), err=True)
        raise typer.Exit(BAD_INPUT)


app.command(
    cls=SectionedCommand,
    epilog=EXIT_CODES,
    short_help="Select the most informative columns of a table.",
)(select)
app.command(epilog=EXIT_CODES, short_help="Predict with a model written by select.")(predict)
app.command(cls=ColumnCommand, epilog=EXIT_CODES, short_help="Evaluate a given list of columns.")(
    evaluate
)
app.command(epilog=EXIT_CODES, short_help="Rewrite the report of a selection.")(report)
app.command(short_help="Select pixels of handwritten digits and plot them.")(demo)
app.add_typer(data_app, name="data")
data_app.command("list", short_help="List the data sets and where they are stored.")(list_data)
data_app.command("get", short_help="Download and verify data sets.")(get_data)
