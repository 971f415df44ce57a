"""Options that several commands have."""

from __future__ import annotations

from typing import Annotated

import typer

Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Print errors only.")]

Missing = Annotated[
    str,
    typer.Option(
        metavar="HOW",
        help="What to do with missing values: error, impute (fill in the median, and tell the "
        "model that it was missing) or drop (ignore these rows).",
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
