"""Rows of measurements in a CSV, with all that is needed to judge them."""

from __future__ import annotations

import csv
import subprocess
import sys
from pathlib import Path

import numpy as np
import torch

import ipcae

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
        "commit": _commit(),
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
    if subprocess.run([sys.executable, "-m", "pytest", "-q", *paths], check=False).returncode:
        sys.exit("The tests fail: nothing was measured.")


def _commit() -> str:
    folder = Path(__file__).parent
    command = ["git", "-C", str(folder), "describe", "--always", "--dirty"]
    found = subprocess.run(command, capture_output=True, text=True, check=False)
    if found.returncode == 0:
        return found.stdout.strip()
    from paper.train import code_version

    return code_version()


def _triton() -> str:
    try:
        import triton
    except ModuleNotFoundError:
        return ""
    return triton.__version__
