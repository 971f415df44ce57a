"""Options shared by several commands."""

from __future__ import annotations

from typing import Annotated

import typer

from ipcae.cli.commands.names import TASK_NAMES


def check_task(name: str | None) -> str | None:
    """Check ``--task``."""
    if name is not None and name not in TASK_NAMES:
        raise typer.BadParameter(f"{name!r} is not one of {', '.join(TASK_NAMES)}")
    return name


Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Print errors only.")]

Missing = Annotated[
    str,
    typer.Option(
        metavar="HOW",
        help="What to do with missing values: error, impute (fill in the median, and tell the "
        "model that it was missing) or drop (ignore these rows).",
    ),
]
MissingValue = Annotated[
    list[str] | None,
    typer.Option(
        metavar="VALUE",
        show_default=False,
        help='Value that stands for a missing one, such as -999 or "don\'t know", in any column. '
        "Can be repeated.",
    ),
]
DropMissing = Annotated[bool, typer.Option("--drop-missing", help="The same as --missing drop.")]
Dates = Annotated[
    str,
    typer.Option(
        metavar="HOW",
        help="What to do with dates: ignore, or numbers (days since 1970).",
    ),
]
Sep = Annotated[
    str | None,
    typer.Option(
        metavar="CHAR",
        show_default=False,
        help="Separator of a text file, such as ';' or tab. By default it is detected.",
    ),
]
Decimal = Annotated[
    str | None,
    typer.Option(
        metavar="CHAR",
        show_default=False,
        help="Decimal mark of a text file, '.' or ','. By default it is detected.",
    ),
]
Encoding = Annotated[
    str | None,
    typer.Option(
        metavar="NAME",
        show_default=False,
        help="Encoding of a text file, such as cp1252. By default it is detected.",
    ),
]

Grid = Annotated[
    str | None,
    typer.Option(
        metavar="ROWSxCOLUMNS",
        show_default=False,
        help="Shape of the image whose pixels are the columns, row by row, such as 28x28. The "
        "report then draws the selection on the image.",
    ),
]

Task = Annotated[
    str | None,
    typer.Option(
        metavar="TASK",
        show_default=False,
        callback=check_task,
        help=f"One of {', '.join(TASK_NAMES)}. By default it is detected from the target.",
    ),
]
Drop = Annotated[
    list[str] | None,
    typer.Option(
        metavar="COLUMN",
        show_default=False,
        help="Column to ignore, or a pattern such as '^MT-' for several (a regular "
        "expression). Can be repeated.",
    ),
]
Id = Annotated[
    list[str] | None,
    typer.Option(
        metavar="COLUMN",
        show_default=False,
        help="Column that identifies the rows, and is not selected. Can be repeated.",
    ),
]
Groups = Annotated[
    str | None,
    typer.Option(
        metavar="COLUMN",
        show_default=False,
        help="Column with the group of every row, such as a patient or a machine, or with its date "
        "and time, for groups of successive rows. Rows of a group are never divided between "
        "training, validation and evaluation.",
    ),
]
Time = Annotated[
    str | None,
    typer.Option(
        metavar="COLUMN",
        show_default=False,
        help="Column with the time of an event or of censoring, for survival analysis.",
    ),
]
Event = Annotated[
    str | None,
    typer.Option(
        metavar="COLUMN",
        show_default=False,
        help="Column that is 1 (or true) if the event happened, 0 if the row is censored. If it "
        "has other values, COLUMN=VALUE, such as status=2.",
    ),
]
Seed = Annotated[
    int, typer.Option(metavar="N", help="Random seed. The same seed gives the same result.")
]
Device = Annotated[str, typer.Option(metavar="NAME", help="auto, cpu or cuda.")]
Force = Annotated[bool, typer.Option("--force", help="Overwrite results that are already in DIR.")]
Layer = Annotated[
    str | None,
    typer.Option(
        metavar="NAME",
        show_default=False,
        help="Layer of a .h5ad file with the expression values. By default X.",
    ),
]
