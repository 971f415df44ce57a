"""Compare the decoders of reconstructions: the network, and the one that the default chooses.

    python benchmarks/reconstruction_decoders.py [--out benchmarks/reconstruction_decoders.csv]
    python benchmarks/reconstruction_decoders.py --show

Columns are selected by ``column-subset`` from generated tables and from rows of real ones (training
rows only), and new rows are reconstructed. Variances are those of the scaled columns.
"""

from __future__ import annotations

import csv
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import torch
from column_exchange import explained, problems, tables
from reconstruction_tables import KINDS, Table, generated
from rows import new_parser, parse, write
from sklearn.linear_model import RidgeCV
from sklearn.preprocessing import StandardScaler

from ipcae import ReconstructionSelector
from ipcae.ridge import PENALTIES
from ipcae.tasks import Reconstruction

TESTS = ["tests/estimators/training/test_reconstruction_decoders.py"]
COLUMNS, NEW = 60, 1000
MOST_COLUMNS = 100  # of real tables, equally spaced
NUMBERS = {40: (3, 10), 100: (3, 10), 300: (3, 10), 1000: (6,)}  # of features, by that of rows
KEYS = "table", "rows", "k", "seed"


def cases(splits: str | None, seeds: range) -> Iterator[tuple[dict[str, object], Table, Table]]:
    """Yield the names of tables with rows to fit and new ones."""
    for n_rows, numbers in NUMBERS.items():
        for seed in seeds:
            for kind in KINDS:
                for k in numbers:
                    fitted, others = generated(kind, COLUMNS, n_rows, NEW, seed)
                    yield {"table": kind, "rows": n_rows, "k": k, "seed": seed}, fitted, others
        for name, table in tables(splits):
            some = table[:, :: max(table.shape[1] // MOST_COLUMNS, 1)]
            for _, k, seed, fitted, others in problems(some, (n_rows,), numbers, seeds):
                yield {"table": name, "rows": n_rows, "k": k, "seed": seed}, fitted, others


def measured(fitted: Table, others: Table, k: int) -> dict[str, object]:
    """Return what the decoders and a ridge regression explain of the new rows, in percent."""
    row: dict[str, object] = {}
    for name, decoder in (("default", "auto"), ("network", Reconstruction.decoder)):
        began = time.process_time()
        selector = ReconstructionSelector(
            k, method="column-subset", decoder=decoder, random_state=0, device="cpu"
        ).fit(fitted)
        row[f"{name}_seconds"] = f"{time.process_time() - began:.2f}"
        scale = selector.scaler_.scale.numpy()
        value = explained(fitted / scale, others / scale, selector.reconstruct(others) / scale)
        row[name] = f"{value:.2f}"
        row.setdefault("kind", selector.decoders_[0])
    columns = selector.get_support()
    scaler = StandardScaler().fit(fitted[:, columns])
    ridge = RidgeCV(PENALTIES, alpha_per_target=True)
    ridge.fit(scaler.transform(fitted[:, columns]), fitted / scale)
    restored = ridge.predict(scaler.transform(others[:, columns]))
    return row | {"ridge": f"{explained(fitted / scale, others / scale, restored):.2f}"}


def show(path: Path) -> None:
    """Print a line of a table for every number of rows, generated and real tables apart."""
    with path.open(newline="") as file:
        rows = list(csv.DictReader(file))
    for n_rows in NUMBERS:
        for source in ("generated", "real"):
            some = [
                row
                for row in rows
                if int(row["rows"]) == n_rows and (row["table"] in KINDS) == (source == "generated")
            ]
            if some:
                print(f"| {n_rows:,} | {source} ({len(some)}) |", _summary(some))


def _summary(rows: list[dict[str, str]]) -> str:
    """Return the gain, the worst and the best case, how far ridge is ahead, and the seconds."""
    default, network, ridge, now, before = (
        np.array([float(row[name]) for row in rows])
        for name in ("default", "network", "ridge", "default_seconds", "network_seconds")
    )
    gains, names = default - network, np.array([row["table"] for row in rows])
    means = [gains[names == name].mean() for name in np.unique(names)]
    error = np.std(means, ddof=1) / np.sqrt(len(means))
    behind = [np.maximum(ridge - each, 0).mean() for each in (network, default)]
    return (
        f"{gains.mean():+.1f} ± {error:.1f} | {np.median(gains):+.1f} | "
        f"{gains.min():+.1f} ({names[gains.argmin()]}) | {gains.max():+.1f} "
        f"({names[gains.argmax()]}) | {behind[0]:.1f} → {behind[1]:.1f} | "
        f"{before.mean():.1f} → {now.mean():.1f} |"
    )


def main() -> None:
    """Measure what the file does not contain yet, or show it."""
    parser = new_parser(__doc__, "reconstruction_decoders.csv")
    parser.add_argument("--splits", help="a folder written by `python -m paper pack FOLDER`")
    parser.add_argument("--show", action="store_true", help="only summarize the file")
    parser.add_argument("--first-seed", type=int, default=0)
    parser.add_argument("--seeds", type=int, default=1)
    options = parse(parser, TESTS)
    path = Path(options.out)
    if options.show:
        return show(path)
    torch.set_num_threads(1)
    done = set()
    if path.exists():
        with path.open(newline="") as file:
            done = {tuple(row[key] for key in KEYS) for row in csv.DictReader(file)}
    seeds = range(options.first_seed, options.first_seed + options.seeds)
    for case, fitted, others in cases(options.splits, seeds):
        if tuple(str(case[key]) for key in KEYS) not in done:
            row = case | measured(fitted, others, int(str(case["k"])))
            write(path, [row])
            print(*row.values(), flush=True)
    return None


if __name__ == "__main__":
    sys.exit(main())
