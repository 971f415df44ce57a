"""The arguments and options of ``ipcae evaluate``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ipcae.cli.commands import shared
from ipcae.cli.exits import with_exit_code


@with_exit_code
def evaluate(
    table: Annotated[
        Path,
        typer.Argument(
            metavar="TABLE", show_default=False, help="Table in a format that select reads."
        ),
    ],
    features: Annotated[
        Path,
        shared.option("FILE", "Text file with one column name per line, such as a selected.txt."),
    ],
    target: Annotated[
        str | None,
        shared.option(
            "COLUMN", "Column to predict. If it is not given, all columns are reconstructed."
        ),
    ] = None,
    time: shared.Time = None,
    event: shared.Event = None,
    task: shared.Task = None,
    drop: shared.Drop = None,
    id: shared.Id = None,
    groups: shared.Groups = None,
    missing: shared.Missing = "error",
    missing_value: shared.MissingValue = None,
    drop_missing: shared.DropMissing = False,
    dates: shared.Dates = "ignore",
    sep: shared.Sep = None,
    decimal: shared.Decimal = None,
    encoding: shared.Encoding = None,
    method: Annotated[
        str | None,
        shared.option(
            "NAME",
            "Method of select to compare with; it selects again in every fold. By default "
            "it depends on the task and the number of rows; none leaves it out.",
        ),
    ] = None,
    folds: Annotated[
        int, typer.Option(metavar="N", help="Number of folds of the cross-validation.")
    ] = 5,
    random: Annotated[
        int, typer.Option(metavar="N", help="Number of random lists of the same size.")
    ] = 10,
    epochs: Annotated[int, typer.Option(metavar="N", help="Number of training epochs.")] = 100,
    seed: shared.Seed = 0,
    device: shared.Device = "auto",
    out: Annotated[
        Path | None,
        shared.option(
            "DIR", "Folder for evaluation.json, evaluation.csv and evaluation.html.", "--out", "-o"
        ),
    ] = None,
    force: shared.Force = False,
    quiet: shared.Quiet = False,
) -> int:
    """Evaluate a list of columns of TABLE against random lists and classical rankings.

    Example: ipcae evaluate patients.csv --features panel.txt --target diagnosis

    Decoders are trained on all lists in the same way, on the same folds. Also reports how much the
    score drops without each column.
    """
    given = locals()  # the options by name
    from ipcae.cli.early_checks import check_early
    from ipcae.cli.feature_list import read_list
    from ipcae.cli.options.selection_options import InputOptions, options_of

    input_options = options_of(
        InputOptions,
        given,
        missing="drop" if drop_missing else missing,
        missing_values=tuple(missing_value or ()),
        method=None,  # whatever is compared, the table is read in the same way
    )
    check_early(input_options)
    read_list(features.expanduser())
    from ipcae.cli.evaluate import EvaluateOptions, evaluate_columns  # imports PyTorch

    return evaluate_columns(
        input_options,
        options_of(EvaluateOptions, given),
        out.expanduser() if out else None,
        force=force,
        quiet=quiet,
    )
