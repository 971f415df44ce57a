"""The arguments and options of ``ipcae evaluate``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ipcae.cli.commands.select import check_task
from ipcae.cli.commands.shared import Dates, Decimal, DropMissing, Encoding, Missing, Quiet, Sep
from ipcae.cli.exits import exit_code
from ipcae.estimators import SELECTORS


def evaluate(
    table: Annotated[
        Path,
        typer.Argument(
            metavar="TABLE", show_default=False, help="Table in a format that select reads."
        ),
    ],
    features: Annotated[
        Path,
        typer.Option(
            metavar="FILE",
            show_default=False,
            help="Text file with one column name per line, such as a selected.txt.",
        ),
    ],
    target: Annotated[
        str | None,
        typer.Option(
            metavar="COLUMN",
            show_default=False,
            help="Column to predict. If it is not given, all columns are to be reconstructed.",
        ),
    ] = None,
    task: Annotated[
        str | None,
        typer.Option(
            metavar="TASK",
            show_default=False,
            callback=check_task,
            help=f"One of {', '.join(SELECTORS)}. By default it is detected from the target.",
        ),
    ] = None,
    drop: Annotated[
        list[str] | None,
        typer.Option(
            metavar="COLUMN",
            show_default=False,
            help="Column to ignore, or a pattern such as '^MT-'. Can be repeated.",
        ),
    ] = None,
    missing: Missing = "error",
    drop_missing: DropMissing = False,
    dates: Dates = "ignore",
    sep: Sep = None,
    decimal: Decimal = None,
    encoding: Encoding = None,
    method: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            show_default=False,
            help="Also compare with the columns that this method of select selects, in every fold.",
        ),
    ] = None,
    folds: Annotated[
        int, typer.Option(metavar="N", help="Number of folds of the cross-validation.")
    ] = 5,
    random: Annotated[
        int, typer.Option(metavar="N", help="Number of random lists of the same size.")
    ] = 10,
    epochs: Annotated[int, typer.Option(metavar="N", help="Number of training epochs.")] = 100,
    seed: Annotated[int, typer.Option(metavar="N", help="Random seed.")] = 0,
    device: Annotated[str, typer.Option(metavar="NAME", help="auto, cpu or cuda.")] = "auto",
    out: Annotated[
        Path | None,
        typer.Option(
            "--out",
            "-o",
            metavar="DIR",
            show_default=False,
            help="Folder for evaluation.json, evaluation.csv and evaluation.html.",
        ),
    ] = None,
    force: Annotated[
        bool, typer.Option("--force", help="Overwrite results that are already in DIR.")
    ] = False,
    quiet: Quiet = False,
) -> None:
    """Evaluate a list of columns of TABLE, beside random lists and classical rankings.

    Example: ipcae evaluate patients.csv --features panel.txt --target diagnosis

    All lists are trained alike on the same folds. Also says what is lost without each column.
    """

    def work() -> int:
        from ipcae.cli.evaluate import EvaluateOptions, evaluate_columns
        from ipcae.cli.options import InputOptions

        return evaluate_columns(
            InputOptions(
                table.expanduser(),
                target=target,
                task=task,
                drop=tuple(drop or ()),
                missing="drop" if drop_missing else missing,
                dates=dates,
                sep=sep,
                decimal=decimal,
                encoding=encoding,
            ),
            EvaluateOptions(features.expanduser(), method, folds, random, epochs, seed, device),
            out.expanduser() if out else None,
            force=force,
            quiet=quiet,
        )

    raise typer.Exit(exit_code(work))
