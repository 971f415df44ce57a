"""Which method selects best? One command measures, one shows, one writes the pages in docs/.

    python benchmarks/suite.py --part small planted --methods default anova [--splits 10] [--jobs 2]
    python benchmarks/suite.py --summary
    python benchmarks/suite.py --page            # write docs/comparison.md and comparison-tables.md
    python benchmarks/suite.py --pack FOLDER     # large data sets as NPZ, for --data elsewhere
    python benchmarks/suite.py --merge ROWS.csv  # add rows that were measured elsewhere

Every cell (part, problem, method, K, split) is one row of ``benchmarks/suite.csv``; cells that are
there are skipped, so that a measurement can be interrupted and resumed. Recipes are chosen on
development rows only: ``--development`` splits the training rows again and writes other rows.
"""

from __future__ import annotations

import argparse
import sys
from functools import partial
from pathlib import Path

from comparison import page, sources
from comparison.cells import KEY, Cell, Row, measured, merge, missing, read
from comparison.methods import NAMES
from comparison.parts import PARTS
from rows import ROOT, write

OUT = ROOT / "benchmarks" / "suite.csv"


def asked(options: argparse.Namespace) -> list[Cell]:
    """List the cells that were asked for, all methods of a split before the next split."""
    return [
        Cell(part, problem, method, n_selected, split)
        for split in range(options.first_split, options.splits)
        for part in options.part
        for problem, sizes in PARTS[part].problems().items()
        if not options.problems or problem in options.problems
        for n_selected in sizes
        if not options.ks or n_selected in options.ks
        for method in options.methods
    ]


def measure(folder: Path, development: bool, cell: Cell) -> Row:
    """Measure a cell; an error becomes a row without a value."""
    sources.folder = folder
    try:
        return PARTS[cell.part].measure(cell, development)
    except Exception as error:
        return {"value": "", "error": f"{type(error).__name__}: {error}"[:200]}


def main() -> None:
    """Measure the cells that are not there yet, or show what the rows say."""
    options = parsed()
    sources.folder = options.data
    if options.pack:
        sources.pack(options.pack)
    if options.merge:
        new = [row for path in options.merge for row in read(path)]
        print(f"{merge(new, options.out)} rows added to {options.out}")
    if options.part:
        cells = missing(asked(options), options.out)
        print(f"{len(cells)} cells to measure", flush=True)
        work = partial(measure, options.data, options.development)
        for cell, row in measured(cells, work, options.jobs, options.minutes):
            write(options.out, [dict(zip(KEY, cell.key(), strict=True)) | row])
            print(*cell.key(), row.get("value") or row.get("error"), row.get("seconds"), flush=True)
    if options.summary:
        for name, lines in page.tables(read(options.out)).items():
            print(f"\n{name}", *lines, sep="\n")
    if options.page:
        page.write(read(options.out))


def parsed() -> argparse.Namespace:
    """Parse the command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--part", nargs="+", choices=PARTS)
    parser.add_argument("--methods", nargs="+", choices=NAMES, default=["default"])
    parser.add_argument("--problems", nargs="+", help="default: all of the part")
    parser.add_argument("--splits", type=int, default=10)
    parser.add_argument("--first-split", type=int, default=0)
    parser.add_argument("--ks", nargs="+", type=int, help="default: those of the part")
    parser.add_argument("--development", action="store_true", help="split the training rows again")
    parser.add_argument("--jobs", type=int, default=1, help="number of processes")
    parser.add_argument("--minutes", type=float, help="begin no cell after this time")
    parser.add_argument("--data", type=Path, default=sources.folder)
    parser.add_argument("--out", type=Path, default=OUT)
    parser.add_argument("--pack", type=Path, help="write the large data sets to this folder")
    parser.add_argument("--merge", type=Path, nargs="+", help="add the rows of other files")
    parser.add_argument("--summary", action="store_true", help="show the tables of the rows")
    parser.add_argument("--page", action="store_true", help="write the pages of the comparison")
    options = parser.parse_args()
    if not (options.part or options.pack or options.merge or options.summary or options.page):
        parser.error("--part, --merge, --summary, --page or --pack is needed")
    return options


if __name__ == "__main__":
    sys.exit(main())
