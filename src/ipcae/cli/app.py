"""The commands and their options, as ``--help`` shows them."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from ipcae.cli.exits import BAD_INPUT, exit_code, report
from ipcae.selectors import METHODS
from ipcae.version import __version__

EXIT_CODES = (
    "Exit codes: 0 done; 2 the input or the command is at fault (a sentence on standard error says "
    "how to mend it; nothing was trained); 1 something else failed; 130 interrupted with Ctrl-C "
    "(select still writes the best state so far)."
)

app = typer.Typer(
    help="Pick the K columns of a table that matter, with concrete autoencoders.",
    epilog=EXIT_CODES,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)
data_app = typer.Typer(help="The data sets of the paper: list them, download them.")
app.add_typer(data_app, name="data")

Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Print nothing but errors.")]

GridOption = Annotated[
    str | None,
    typer.Option(
        metavar="ROWSxCOLUMNS",
        show_default=False,
        help="The columns are the pixels of an image, row after row, such as 28x28: the report "
        "draws the selection on it.",
    ),
]


class TaskName(StrEnum):
    """The tasks that can be asked for."""

    classification = "classification"
    regression = "regression"
    reconstruction = "reconstruction"


def run(arguments: Sequence[str]) -> int:
    """Run a command line and return its exit code."""
    command = typer.main.get_command(app)
    try:
        code = command.main(args=list(arguments), prog_name="ipcae", standalone_mode=False)
    except Exception as error:
        # A usage error: typer's base class of them moved between its releases.
        if not hasattr(error, "format_message"):
            raise
        message = str(error.format_message()).strip().rstrip(".")
        context = getattr(error, "ctx", None)
        path = context.command_path if context else "ipcae"
        return report(f"{message}. See `{path} --help`.", BAD_INPUT) if message else BAD_INPUT
    return code if isinstance(code, int) else 0


@app.callback(invoke_without_command=True)
def top(
    context: typer.Context,
    version: Annotated[bool, typer.Option("--version", help="Print the version.")] = False,
) -> None:
    """Pick the K columns of a table that matter, with concrete autoencoders."""
    if version:
        typer.echo(f"ipcae {__version__}")
        raise typer.Exit
    if context.invoked_subcommand is None:
        typer.echo(context.get_help(), err=True)
        raise typer.Exit(BAD_INPUT)


@app.command(epilog=EXIT_CODES, short_help="Select the columns of a table that matter most.")
def select(
    table: Annotated[
        Path,
        typer.Argument(
            metavar="TABLE",
            show_default=False,
            help="A file that ends in .csv or .tsv (also .gz), .parquet or .npz, with a name for "
            "every column.",
        ),
    ],
    k: Annotated[
        str,
        typer.Option(
            "-k",
            metavar="K",
            show_default=False,
            help="How many columns to select, such as 20, or which fraction of them, such as 0.1.",
        ),
    ],
    out: Annotated[
        Path,
        typer.Option(
            "--out", "-o", metavar="DIR", show_default=False, help="Folder for the results."
        ),
    ],
    target: Annotated[
        str | None,
        typer.Option(
            metavar="COLUMN",
            show_default=False,
            help="Column to predict. Without one, select the columns from which all others can be "
            "reconstructed.",
        ),
    ] = None,
    task: Annotated[
        TaskName | None,
        typer.Option(
            metavar="TASK",
            show_default=False,
            help="classification or regression, where the target is taken for the other one.",
        ),
    ] = None,
    drop: Annotated[
        list[str] | None,
        typer.Option(
            metavar="COLUMN", show_default=False, help="Leave a column out; can be repeated."
        ),
    ] = None,
    drop_missing: Annotated[
        bool, typer.Option("--drop-missing", help="Leave out the rows with missing values.")
    ] = False,
    method: Annotated[
        str, typer.Option(metavar="NAME", help=f"One of {', '.join(METHODS)}.")
    ] = "ip-cae",
    runs: Annotated[
        int,
        typer.Option(
            metavar="N",
            help="Models to train at once from different seeds; the best one is the answer, and "
            "their agreement tells how stable it is.",
        ),
    ] = 5,
    epochs: Annotated[int, typer.Option(metavar="N", help="Passes over the rows.")] = 200,
    test_fraction: Annotated[
        float, typer.Option(metavar="F", help="Part of the rows to hold out and measure on.")
    ] = 0.2,
    seed: Annotated[
        int, typer.Option(metavar="N", help="The same seed gives the same result again.")
    ] = 0,
    device: Annotated[str, typer.Option(metavar="NAME", help="auto, cpu or cuda.")] = "auto",
    grid: GridOption = None,
    checkpoint: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR",
            show_default=False,
            help="Folder to save the state of training to now and then.",
        ),
    ] = None,
    resume: Annotated[
        bool,
        typer.Option("--resume", help="Continue the training in the folder of --checkpoint."),
    ] = False,
    live: Annotated[
        bool,
        typer.Option("--live", help="Print a local address where the curves grow meanwhile."),
    ] = False,
    live_port: Annotated[
        int,
        typer.Option(metavar="N", show_default=False, help="Port of --live. Any that is free."),
    ] = 0,
    force: Annotated[
        bool, typer.Option("--force", help="Replace results that are already in DIR.")
    ] = False,
    quiet: Quiet = False,
) -> None:
    """Select the K columns of TABLE that matter most, and write them to DIR.

    For example: ipcae select patients.csv --target diagnosis -k 20 --out panel

    Writes selected.txt (one column a line, best first), ranking.csv (importance, probability
    and agreement of all columns), metrics.json (on held-out rows), settings.json, history.csv,
    training.png, selection.png, model.safetensors (for ipcae predict) and report.html (all of it
    on one page). In .csv files an apostrophe marks names that a spreadsheet would take for a
    formula.
    """

    def work() -> int:
        from ipcae.cli.options import Options, read_number_of_features
        from ipcae.cli.problem import Request
        from ipcae.cli.report import read_grid
        from ipcae.cli.select import select_columns

        request = Request(
            table.expanduser(),
            target,
            task.value if task else None,
            tuple(drop or ()),
            drop_missing,
        )
        options = Options(
            read_number_of_features(k),
            method,
            runs,
            epochs,
            test_fraction,
            seed,
            device,
            checkpoint.expanduser() if checkpoint else None,
            resume,
        )
        return select_columns(
            request,
            options,
            out.expanduser(),
            force=force,
            quiet=quiet,
            live_port=live_port if live or live_port else None,
            grid=read_grid(grid),
        )

    raise typer.Exit(exit_code(work))


@app.command(epilog=EXIT_CODES, short_help="Predict with the model of an earlier selection.")
def predict(
    model: Annotated[
        Path,
        typer.Argument(
            metavar="MODEL",
            show_default=False,
            help="The model.safetensors that select wrote, or a selector saved in Python.",
        ),
    ],
    table: Annotated[
        Path,
        typer.Argument(
            metavar="TABLE",
            show_default=False,
            help="A table as for select. Only the selected columns are needed; others are ignored.",
        ),
    ],
    out: Annotated[
        Path | None,
        typer.Option(
            "--out",
            "-o",
            metavar="FILE",
            show_default=False,
            help="CSV file to write. Without one, the predictions go to standard output.",
        ),
    ] = None,
    proba: Annotated[
        bool, typer.Option("--proba", help="Add the probability of every class.")
    ] = False,
    force: Annotated[bool, typer.Option("--force", help="Replace FILE.")] = False,
) -> None:
    """Predict the target of every row of TABLE, or reconstruct all columns, from the selected ones.

    For example: ipcae predict panel/model.safetensors new.csv --out predictions.csv
    """

    def work() -> int:
        from ipcae.cli.predict import predict_rows

        return predict_rows(
            model.expanduser(),
            table.expanduser(),
            out.expanduser() if out else None,
            proba=proba,
            force=force,
        )

    raise typer.Exit(exit_code(work))


@app.command("report", epilog=EXIT_CODES, short_help="Write the report of a selection again.")
def write_report(
    folder: Annotated[
        Path,
        typer.Argument(metavar="DIR", show_default=False, help="The folder that select wrote to."),
    ],
    grid: GridOption = None,
    quiet: Quiet = False,
) -> None:
    """Write DIR/report.html anew: one page with the features, the curves and the comparisons.

    If the table is where it was and has not changed, its rows are divided and measured as before;
    otherwise the page does without them.
    """

    def work() -> int:
        from ipcae.cli.report import write_again

        return write_again(folder.expanduser(), grid, quiet=quiet)

    raise typer.Exit(exit_code(work))


@app.command(short_help="Select pixels of handwritten digits, and draw them.")
def demo(
    out: Annotated[
        Path, typer.Option("--out", "-o", metavar="DIR", help="Folder to draw into.")
    ] = (Path("demo")),
    quiet: Quiet = False,
) -> None:
    """Select 16 of the 64 pixels of scikit-learn's digits, and draw what they suffice for.

    Takes less than a minute, and no download. DIR/demo.png shows the chosen pixels, and digits
    beside their reconstructions; results of an earlier demo are replaced.
    """

    def work() -> int:
        from ipcae.cli.demo import demonstrate

        return demonstrate(out.expanduser(), quiet=quiet)

    raise typer.Exit(exit_code(work))


@data_app.command("list", short_help="List them, and where they are on this computer.")
def list_data() -> None:
    """List the data sets, their terms of use, and where they are on this computer."""

    def work() -> int:
        from ipcae.cli.data import list_datasets

        return list_datasets()

    raise typer.Exit(exit_code(work))


@data_app.command("get", short_help="Download and check them.")
def get_data(
    names: Annotated[
        list[str] | None,
        typer.Argument(metavar="NAME...", show_default=False, help="Such as isolet."),
    ] = None,
    everything: Annotated[bool, typer.Option("--all", help="Get all of them.")] = False,
    quiet: Quiet = False,
) -> None:
    """Download data sets into the cache and check them; those already here are only checked."""

    def work() -> int:
        from ipcae.cli.data import get_datasets

        return get_datasets(names or [], everything=everything, quiet=quiet)

    raise typer.Exit(exit_code(work))
