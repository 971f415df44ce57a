"""Options that several commands have."""

from __future__ import annotations

from typing import Annotated

import typer

Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Print errors only.")]

Grid = Annotated[
    str | None,
    typer.Option(
        metavar="ROWSxCOLUMNS",
        show_default=False,
        help="Shape of the image whose pixels are the columns, row by row, such as 28x28. The "
        "report then draws the selection on the image.",
    ),
]
