"""Rows of measurements in a CSV, with all that is needed to judge them."""

from __future__ import annotations

import argparse
import csv
import subprocess
import sys
from collections.abc import Collection, Iterable
from pathlib import Path

import numpy as np
import torch

import ipcae

ROOT = Path(__file__).parent.parent
HEADER = (
    "question",
    "implementation",
    "runs",
    "rows",
    "features",
    "nodes",
    "embedding",
    "draws",
    "precision",
    "unit",
    "median",
    "spread",
    "device",
    "torch",
    "triton",
    "ipcae",
    "commit",
)


def append(path: Path, question: str, implementation: str, sizes: dict, values: list, unit: str):
    """Append a measurement: the median of the values and their range."""
    row = {
        "question": question,
        "implementation": implementation,
        **sizes,
        "unit": unit,
        "median": f"{np.median(values):.6g}",
        "spread": f"{np.ptp(values):.3g}",
        "device": torch.cuda.get_device_name() if torch.cuda.is_available() else "cpu",
        "torch": torch.__version__,
        "triton": _triton(),
        "ipcae": ipcae.__version__,
        "commit": commit(),
    }
    new = not path.exists() or path.stat().st_size == 0
    with path.open("a", newline="") as file:
        writer = csv.DictWriter(file, HEADER, restval="")
        if new:
            writer.writeheader()
        writer.writerow(row)
    print(
        *(f"{key}={row[key]}" for key in HEADER[:12] if row.get(key) not in ("", None)), flush=True
    )


def require_tests(*paths: str) -> None:
    """Run the tests a measurement rests on, and refuse to report where one fails."""
    command = [sys.executable, "-m", "pytest", "-q", "-x", "-n", "0", *paths]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(f"Nothing was measured, since the tests fail:\n{done.stdout[-2000:]}")


def read_options(
    about: str | None, out: str, tests: Iterable[str], only: Collection[str] = ()
) -> argparse.Namespace:
    """Read the arguments of a script that measures on a GPU, and run the tests it rests on."""
    parser = argparse.ArgumentParser(description=about)
    parser.add_argument("--splits", help="a folder of packed splits instead of the originals")
    parser.add_argument("--out", default=f"benchmarks/{out}")
    parser.add_argument("--untested", action="store_true", help="where the tests ran just before")
    if only:
        parser.add_argument("--only", nargs="+", choices=only, default=only)
    options = parser.parse_args()
    if not options.untested:
        require_tests(*tests)
    return options


def commit() -> str:
    """Return the commit of the measured code, with a hash of its sources where that is not all."""
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
