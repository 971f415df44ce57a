"""``python -m tests.fuzz``: try many seeds, and write the outcomes.

python -m tests.fuzz --long --out docs/fuzz.md   # the long version; continues where it ended
python -m tests.fuzz --part 0.1                  # a tenth of it
python -m tests.fuzz --kind fits --count 500     # one kind
python -m tests.fuzz --kind fits --seed 972      # one seed
"""

from __future__ import annotations

import argparse
import faulthandler
import sys
from pathlib import Path

import torch

from tests.fuzz.runner import KINDS, N_FITS_IN_ONE_PROCESS, Session, repeat


def main() -> int:
    """Run the command line; the exit code is 1 if anything failed."""
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument("--long", action="store_true", help="the numbers of `make fuzz`")
    parser.add_argument("--part", type=float, default=0.02, help="of the long version")
    parser.add_argument("--kind", choices=[*KINDS, "memory"], help="one kind alone")
    parser.add_argument("--count", type=int, help="seeds of that kind")
    parser.add_argument("--seed", type=int, help="one seed of that kind")
    parser.add_argument("--jobs", type=int, default=1, help="processes")
    parser.add_argument("--out", type=Path, help="page to write")
    parser.add_argument("--state", type=Path, help="file to continue from after an interruption")
    arguments = parser.parse_args()
    faulthandler.enable()
    torch.set_num_threads(1)
    part = 1.0 if arguments.long else arguments.part
    if arguments.seed is not None:
        return repeat(arguments.kind or "fits", arguments.seed)
    session = Session.begin(arguments.state, arguments.jobs)
    for kind in [arguments.kind] if arguments.kind else [*KINDS, "memory"]:
        whole = N_FITS_IN_ONE_PROCESS if kind == "memory" else KINDS[kind].n_long
        count = arguments.count or max(round(part * whole), 1)
        if kind == "memory":
            session.run_memory(count)
        else:
            session.run(kind, count)
    page = session.page()
    if arguments.out is not None:
        arguments.out.write_text(page, encoding="utf-8")
    print(page)
    return 1 if session.n_failures else 0


if __name__ == "__main__":
    sys.exit(main())
