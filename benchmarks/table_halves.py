"""Command line and cases of benchmarks on real tables in two halves."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Sequence
from pathlib import Path

from missing_rows import Row, read_rows
from rows import new_parser

KEY = "table", "seed", "K", "method"


def parse_halves(
    about: str | None, out: str, methods: Sequence[str], counts: Sequence[str]
) -> Namespace:
    """Parse the command line; ``counts`` are the numbers of features to select by default."""
    parser = new_parser(about, out)
    parser.add_argument("folder", nargs="?", type=Path, help="the folder of the tables")
    parser.add_argument("--half", choices=["development", "confirmation", "both"], default="both")
    parser.add_argument("--tables", nargs="+", help="only these tables")
    parser.add_argument("--methods", nargs="+", default=[*methods])
    parser.add_argument("--K", nargs="+", default=[*counts])
    parser.add_argument("--seeds", type=int, nargs="+", default=[0, 1])
    parser.add_argument("--jobs", type=int, default=1, help="number of processes")
    parser.add_argument("--show", action="store_true")
    return parser.parse_args()


def cases_of(options: Namespace, listed: Path) -> list[Row]:
    """Return the cases of the tables in a list, in the half that was asked for."""
    return [
        dict(zip(KEY, (each["table"], seed, count, method), strict=True))
        for seed in options.seeds
        for each in read_rows(listed)
        for count in options.K
        for method in options.methods
        if options.half in (each["half"], "both")
        and (not options.tables or each["table"] in options.tables)
    ]
