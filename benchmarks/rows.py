"""Rows of measurements in a CSV file, with the device, versions and commit."""

from __future__ import annotations

import argparse
import csv
import platform
import subprocess
import sys
from collections.abc import Collection, Iterable
from functools import lru_cache
from io import StringIO
from pathlib import Path

import numpy as np
import torch

import ipcae
from ipcae.filesystem.atomic import write_whole

ROOT = Path(__file__).parent.parent
sys.path.append(str(ROOT))  # the paper's harness is not part of the package
SIZES = "runs", "rows", "features", "nodes", "embedding", "outputs", "validation", "draws"


def append(path: Path, question: str, implementation: str, sizes: dict, values: list, unit: str):
    """Append a measurement: median and range of the values."""
    what = {"question": question, "implementation": implementation}
    own = {name: sizes.get(name, "") for name in (*SIZES, "precision")}
    found = {"unit": unit, "median": f"{np.median(values):.6g}", "spread": f"{np.ptp(values):.3g}"}
    write(path, [what | own | found])
    shown = what | sizes | found
    print(*(f"{key}={value}" for key, value in shown.items()), flush=True)


def write(path: Path, rows: Iterable[dict[str, object]]) -> None:
    """Append rows, with the device, versions and commit of the measurement.

    New columns are empty in the existing rows.
    """
    old: list[dict[str, object]] = []
    if path.exists():
        with path.open(newline="") as file:
            old = list(csv.DictReader(file))
    new = [row | origin() for row in rows]
    header = list(dict.fromkeys(column for row in (*old, *new) for column in row))
    text = StringIO()
    writer = csv.DictWriter(text, header, restval="", lineterminator="\n")
    writer.writeheader()
    writer.writerows([*old, *new])
    write_whole(path, text.getvalue().encode())


@lru_cache(maxsize=1)
def origin() -> dict[str, str]:
    """Return the device, the versions and the commit of a measurement."""
    return {
        "device": torch.cuda.get_device_name() if torch.cuda.is_available() else _processor(),
        "torch": torch.__version__,
        "triton": _triton(),
        "ipcae": ipcae.__version__,
        "commit": commit(),
    }


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return platform.processor() or platform.machine()
    names = [line.split(":")[1].strip() for line in lines if line.startswith("model name")]
    return f"{len(names)} x {names[0]}" if names else platform.machine()


def require_tests(*paths: str) -> None:
    """Run the tests of the measured code, and exit if one fails."""
    command = [sys.executable, "-m", "pytest", "-q", "-x", "-n", "0", *paths]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(f"Nothing was measured because a test failed:\n{done.stdout[-2000:]}")


def new_parser(about: str | None, out: str) -> argparse.ArgumentParser:
    """Return a parser with the arguments that all benchmarks share."""
    parser = argparse.ArgumentParser(
        description=about, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--out", default=f"benchmarks/{out}", help="the CSV file to append to")
    parser.add_argument("--untested", action="store_true", help="do not run the tests first")
    return parser


def parse(parser: argparse.ArgumentParser, tests: Iterable[str]) -> argparse.Namespace:
    """Parse the command line, then run the tests of the measured code."""
    options = parser.parse_args()
    if not options.untested:
        require_tests(*tests)
    return options


def parse_gpu(
    about: str | None, out: str, tests: Iterable[str], only: Collection[str] = ()
) -> argparse.Namespace:
    """Parse the command line of a GPU benchmark, then run its tests."""
    parser = new_parser(about, out)
    parser.add_argument("--splits", help="a folder written by `python -m paper pack FOLDER`")
    if only:
        parser.add_argument("--only", nargs="+", choices=only, default=only)
    return parse(parser, tests)


def commit() -> str:
    """Return the commit, with a hash of the sources if there are uncommitted changes."""
    folder = Path(__file__).parent
    command = ["git", "-C", str(folder), "describe", "--always", "--dirty"]
    found = subprocess.run(command, capture_output=True, text=True, check=False)
    described = found.stdout.strip() if found.returncode == 0 else ""
    if described and not described.endswith("dirty"):
        return described
    from paper.train import code_version

    return f"{described} {code_version()}".strip()


def _triton() -> str:
    try:
        import triton
    except ModuleNotFoundError:
        return ""
    return triton.__version__
