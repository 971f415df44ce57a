"""Measure ``ipcae evaluate`` on a list of the first three columns, with two versions.

    python benchmarks/list_evaluation.py --against /path/to/another/checkout/src [--seeds 0 1]

The tables are those of ``number_search.py``. Rows of the file are the main metric of the given
list, the means of the same metric over the lists of methods and over the random lists, and the CPU
seconds of the command. Every table is measured with this version and then with the other one.
"""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
import pandas as pd
from number_search import SIZES, table
from rows import new_parser, parse, write


def main() -> None:
    """Measure the command for every kind of table and seed."""
    parser = new_parser(__doc__, "list_evaluation.csv")
    parser.add_argument("--against", default="", help="the src folder of another version")
    parser.add_argument("--kinds", nargs="*", default=["linear", "rare class", "numbers"])
    parser.add_argument("--seeds", type=int, nargs="+", default=[0])
    options = parse(parser, ["tests/evaluation/test_feature_lists.py"])
    for kind in options.kinds:
        for seed in options.seeds:
            for source in filter(None, ("this", options.against)):
                row = _measured(kind, seed, source)
                print(row, flush=True)
                write(Path(options.out), [row])


def _measured(kind: str, seed: int, source: str) -> dict[str, object]:
    """Run the command with this version of the package, or that of another folder."""
    X, y = table(kind, seed)
    n_rows, names = SIZES[kind][0], [f"c{column}" for column in range(X.shape[1])]
    y = y if kind == "numbers" else np.array([f"k{label}" for label in y])
    with tempfile.TemporaryDirectory() as folder:
        file, given, out = (Path(folder) / name for name in ("table.csv", "list.txt", "out"))
        pd.DataFrame(X[:n_rows], columns=names).assign(y=y[:n_rows]).to_csv(file, index=False)
        given.write_text("\n".join(names[:3]), encoding="utf-8")
        command = [sys.executable, "-m", "ipcae", "evaluate", file, "--target", "y", "--quiet"]
        path = {} if source == "this" else {"PYTHONPATH": source}
        before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
        subprocess.run(
            [*command, "--features", given, "--out", out], check=True, env=os.environ | path
        )
        seconds = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before
        found = json.loads((out / "evaluation.json").read_text(encoding="utf-8"))
    first, *others = found["lists"]
    values = {each["list"]: each[found["metric"]] for each in others}
    random = values.pop("random")
    return {
        "table": kind,
        "seed": seed,
        "version": "this" if source == "this" else "before",
        "metric": found["metric"],
        "given": f"{first[found['metric']]:.4f}",
        "methods": f"{np.mean(list(values.values())):.4f}",
        "random": f"{random:.4f}",
        "cpu": f"{seconds:.1f}",
    }


if __name__ == "__main__":
    main()
