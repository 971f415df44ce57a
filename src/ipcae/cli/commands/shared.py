"""Options shared by several commands."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from ipcae.cli.commands.names import TASK_NAMES


def option(metavar: str, help: str, *names: str, **settings: Any) -> Any:
    """Return an option whose default value is not shown."""
    return typer.Option(*names, metavar=metavar, show_default=False, help=help, **settings)


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
    option(
        "VALUE",
        'Value that stands for a missing one, such as -999 or "don\'t know", in any column. '
        "A number is kept in columns with smaller and larger values. Can be repeated.",
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
    option("CHAR", "Separator of a text file, such as ';' or tab. By default it is detected."),
]
Decimal = Annotated[
    str | None,
    option("CHAR", "Decimal mark of a text file, '.' or ','. By default it is detected."),
]
Encoding = Annotated[
    str | None,
    option("NAME", "Encoding of a text file, such as cp1252. By default it is detected."),
]

Grid = Annotated[
    str | None,
    option(
        "ROWSxCOLUMNS",
        "Shape of the image whose pixels are the columns, row by row, such as 28x28. The "
        "report then draws the selection on the image.",
    ),
]

Task = Annotated[
    str | None,
    option(
        "TASK",
        f"One of {', '.join(TASK_NAMES)} (classification and reconstruction). By default it "
        "is detected from the target.",
        callback=check_task,
    ),
]
Drop = Annotated[
    list[str] | None,
    option(
        "COLUMN",
        "Column to ignore, or a pattern such as '^MT-' for several (a regular "
        "expression). Can be repeated.",
    ),
]
Id = Annotated[
    list[str] | None,
    option("COLUMN", "Column that identifies the rows, and is not selected. Can be repeated."),
]
Groups = Annotated[
    str | None,
    option(
        "COLUMN",
        "Column with the group of every row, such as a patient or a machine, or with its date "
        "and time, for groups of successive rows. Rows of a group are never divided between "
        "training, validation and evaluation.",
    ),
]
Time = Annotated[
    str | None,
    option("COLUMN", "Column with the time of an event or of censoring, for survival analysis."),
]
Event = Annotated[
    str | None,
    option(
        "COLUMN",
        "Column that is 1 (or true) if the event happened, 0 if the row is censored. If it "
        "has other values, COLUMN=VALUE, such as status=2.",
    ),
]
Seed = Annotated[
    int, typer.Option(metavar="N", help="Random seed. The same seed gives the same result.")
]
Device = Annotated[str, typer.Option(metavar="NAME", help="auto, cpu or cuda.")]
Force = Annotated[bool, typer.Option("--force", help="Overwrite results that are already in DIR.")]
Layer = Annotated[
    str | None, option("NAME", "Layer of a .h5ad file with the expression values. By default X.")
]
