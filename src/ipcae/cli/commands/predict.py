"""The arguments and options of ``ipcae predict``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ipcae.cli.commands import shared
from ipcae.cli.exits import with_exit_code


@with_exit_code
def predict(
    model: Annotated[
        Path,
        typer.Argument(
            metavar="MODEL",
            show_default=False,
            help="The folder written by select, its model.safetensors, or a selector saved in "
            "Python.",
        ),
    ],
    table: Annotated[
        Path,
        typer.Argument(
            metavar="TABLE",
            show_default=False,
            help="Table in a format that select reads. Only the selected columns are needed; "
            "others are ignored.",
        ),
    ],
    out: Annotated[
        Path | None,
        shared.option(
            "FILE",
            "CSV file to write. By default, predictions are written to standard output.",
            "--out",
            "-o",
        ),
    ] = None,
    proba: Annotated[
        bool, typer.Option("--proba", help="Add the probability of every class.")
    ] = False,
    id: Annotated[
        list[str] | None,
        shared.option(
            "COLUMN", "Column of TABLE to write beside the predictions. Can be repeated."
        ),
    ] = None,
    layer: shared.Layer = None,
    missing_value: shared.MissingValue = None,
    sep: shared.Sep = None,
    decimal: shared.Decimal = None,
    encoding: shared.Encoding = None,
    force: Annotated[bool, typer.Option("--force", help="Overwrite FILE.")] = False,
) -> int:
    """Predict the target of every row of TABLE, or reconstruct all columns.

    Example: ipcae predict panel new.csv --out predictions.csv
    """
    from ipcae.cli.early_checks import check_files
    from ipcae.cli.options.parsing import parse_format

    path = model.expanduser()
    if path.is_dir():
        path = path / "model.safetensors"
    check_files(path, table.expanduser())
    from ipcae.cli.predict import predict_rows  # imports PyTorch, which takes seconds

    return predict_rows(
        path,
        table.expanduser(),
        out.expanduser() if out else None,
        proba=proba,
        ids=tuple(id or ()),
        layer=layer,
        missing_values=tuple(missing_value or ()),
        text_format=parse_format(sep, decimal, encoding),
        force=force,
    )
