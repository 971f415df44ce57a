"""How long does training take on a GPU, and how does its cost grow?

    python benchmarks/train_gpu.py --splits FOLDER [--out benchmarks/train_gpu.csv]

``target``: MNIST's 7200 rows, B = 128, K = 50, D = P = 784, classification, 200 epochs, seconds of
the training call after a first call of the same shape. ``plain``: the same work the plain way
(a sample of B × K × D, DataLoader, eager, one run at a time), seconds of one
epoch times 200. ``first``: seconds of compiling before the first step. ``runs``, ``features``,
``nodes``, ``rows``: microseconds a step and megabytes at the peak when one size grows.
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path

import numpy as np
import torch
from epoch_cpu import PlainIpCae
from rows import append, require_tests
from splits import load_split
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

from ipcae import ClassificationSelector, Concrete, Full, paper_settings

SIZES = {"rows": 128, "features": 784, "nodes": 50, "embedding": 784}


def fit(X, y, X_val, y_val, *, runs, nodes, embedding, rows, draws, precision, epochs):
    """Train; return the selector."""
    arguments = paper_settings(batch_size=rows) | {
        "method": Concrete(Full(size=embedding)),
        "noise_draws": draws,
        "max_epochs": epochs,
        "precision": precision,
    }
    selector = ClassificationSelector(
        nodes, n_runs=runs, random_state=0, device="cuda", **arguments
    )
    return selector.fit(X, y, X_val=X_val, y_val=y_val)


def targets(out: Path, split, repetitions: int) -> None:
    """Measure the sizes that the project has promised."""
    data = split.X_train, split.y_train, split.X_val, split.y_val
    for runs, draws, precision in (
        (10, 1, "tf32"),
        (10, 8, "tf32"),
        (10, "row", "tf32"),
        (1, "row", "tf32"),
        (10, 1, "float32"),
        (10, "row", "float32"),
        (10, "row", "bfloat16"),
    ):
        sizes = {"runs": runs, **SIZES, "draws": draws, "precision": precision}
        own = {
            key: sizes[key] for key in ("runs", "nodes", "embedding", "rows", "draws", "precision")
        }
        fit(*data, **own, epochs=3)
        fitted = [fit(*data, **own, epochs=200) for _ in range(repetitions)]
        seconds = [selector.fit_seconds_ for selector in fitted]
        append(out, "target", "ipcae", sizes, seconds, "s")
        accuracy = [
            100 * fitted[-1].with_run(run).score(split.X_test, split.y_test) for run in range(runs)
        ]
        append(out, "accuracy", "ipcae", sizes, accuracy, "%")
    seconds = [200 * plain_epoch(split.X_train, split.y_train) for _ in range(3)]
    append(out, "target", "plain", {"runs": 1, **SIZES, "draws": "row"}, seconds, "s")


def plain_epoch(X: np.ndarray, y: np.ndarray) -> float:
    """Train the plain model for an epoch on the GPU; return the seconds."""
    table = TensorDataset(torch.from_numpy(X), torch.from_numpy(y))
    loader = DataLoader(table, batch_size=SIZES["rows"], drop_last=True)
    model = PlainIpCae(X.shape[1], int(y.max()) + 1).cuda()
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    torch.cuda.synchronize()
    began = time.perf_counter()
    for rows, classes in loader:
        optimizer.zero_grad()
        loss = nn.functional.cross_entropy(model(rows.cuda(), 1.0), classes.cuda())
        loss.backward()
        optimizer.step()
    torch.cuda.synchronize()
    return time.perf_counter() - began


def growth(out: Path, question: str, values: list, draws: int | str = "row", **fixed) -> None:
    """Measure a step while one size grows, on random rows."""
    for value in values:
        sizes = {"runs": 1, **SIZES, "draws": draws, "precision": "tf32", **fixed, question: value}
        sizes["embedding"] = min(sizes["embedding"], sizes["features"])
        rng = np.random.default_rng(0)
        n_steps = 16 if sizes["features"] < 10**5 else 2
        n = n_steps * sizes["rows"]
        X = rng.standard_normal((n, sizes["features"]), dtype=np.float32)
        y = rng.integers(10, size=n)
        own = {
            key: sizes[key] for key in ("runs", "nodes", "embedding", "rows", "draws", "precision")
        }
        X_val, y_val = X[: sizes["rows"]], y[: sizes["rows"]]
        fit(X, y, X_val, y_val, **own, epochs=2)
        torch.cuda.reset_peak_memory_stats()
        short, long = (fit(X, y, X_val, y_val, **own, epochs=e).fit_seconds_ for e in (4, 12))
        peak = torch.cuda.max_memory_allocated() / 1e6
        append(out, question, "ipcae", sizes, [(long - short) / (8 * n_steps) * 1e6], "us/step")
        append(out, question + " memory", "ipcae", sizes, [peak], "MB")


def main() -> None:
    """Measure everything, after the tests."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--splits")
    parser.add_argument("--out", default="benchmarks/train_gpu.csv")
    parser.add_argument("--repetitions", type=int, default=3)
    parser.add_argument("--untested", action="store_true", help="where pytest is not installed")
    options = parser.parse_args()
    if not options.untested:
        require_tests("tests/ops")
    out = Path(options.out)
    split = load_split("mnist", options.splits)
    began = time.perf_counter()
    data = split.X_train, split.y_train, split.X_val, split.y_val
    own = {"runs": 10, "nodes": 50, "embedding": 784, "rows": 128, "draws": "row"}
    fit(*data, **own, precision="tf32", epochs=1)
    first = time.perf_counter() - began
    append(out, "first", "ipcae", {**SIZES, **own, "precision": "tf32"}, [first], "s")
    targets(out, split, options.repetitions)
    growth(out, "runs", [1, 2, 5, 10, 20, 40])
    growth(out, "features", [196, 784, 3136, 12_544, 50_176], embedding=64)
    growth(out, "features", [200_000, 1_000_000], draws=8, embedding=64)
    growth(out, "nodes", [10, 25, 50, 100, 200])
    growth(out, "rows", [32, 128, 512])


if __name__ == "__main__":
    sys.exit(main())
