"""Measure time and memory of training on a GPU.

    python benchmarks/train_gpu.py --splits FOLDER [--out benchmarks/train_gpu.csv]

``target``: MNIST, 7200 rows, B = 128, K = 50, D = P = 784, classification, 200 epochs: seconds of
the whole call of ``fit`` after a first call of the same shape. ``plain``: seconds of 200 epochs of
the plain implementation (a sample of B × K × D, DataLoader, eager mode, one run at a time,
validation and best state after every epoch). ``first``: seconds of the first call, including
compilation. ``runs``, ``features``, ``nodes``, ``rows``: microseconds per step and peak memory in
megabytes against one size. ``validation``: peak memory of a reconstruction, which has many outputs,
against the number of validation rows. The older rows ``epochs of the target`` are the seconds from
the first epoch to the last, which is shorter than the call.
"""

from __future__ import annotations

import gc
import sys
import time
from pathlib import Path

import numpy as np
import torch
from plain import PlainTraining
from rows import append, parse_gpu
from torch.utils.data import TensorDataset

from ipcae import ClassificationSelector, Concrete, Full, ReconstructionSelector, paper_settings
from paper.splits import Rows, load_rows

SIZES = {"rows": 128, "features": 784, "nodes": 50, "embedding": 784, "outputs": 10}


def fit(X, y, X_val, y_val, *, runs, nodes, embedding, rows, draws, precision, epochs):
    """Fit a selector; without ``y`` a reconstruction."""
    arguments = paper_settings(batch_size=rows) | {
        "method": Concrete(Full(size=embedding)),
        "noise_draws": draws,
        "max_epochs": epochs,
        "precision": precision,
    }
    kind = ReconstructionSelector if y is None else ClassificationSelector
    selector = kind(nodes, n_runs=runs, random_state=0, device="cuda", **arguments)
    labels = {} if y is None else {"y": y, "y_val": y_val}
    return selector.fit(X, X_val=X_val, **labels)


def timed_fit(*data, **settings):
    """Fit a selector; return it and the seconds of the call."""
    torch.cuda.synchronize()
    began = time.perf_counter()
    selector = fit(*data, **settings)
    torch.cuda.synchronize()
    return selector, time.perf_counter() - began


def first_call(out: Path, split: Rows) -> None:
    """Measure the first call, including compilation."""
    sizes = {"runs": 10, **SIZES, "draws": "row", "precision": "tf32"}
    sizes["validation"] = len(split.X_val)
    _, seconds = timed_fit(*training_data(split), **own_settings(sizes), epochs=1)
    append(out, "first", "ipcae", sizes, [seconds], "s")


def targets(out: Path, split: Rows) -> None:
    """Measure the target sizes in all precisions."""
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
        sizes["validation"] = len(split.X_val)
        fit(*training_data(split), **own_settings(sizes), epochs=3)
        fitted = [
            timed_fit(*training_data(split), **own_settings(sizes), epochs=200) for _ in range(5)
        ]
        append(out, "target", "ipcae", sizes, [seconds for _, seconds in fitted], "s")
        selector = fitted[-1][0]
        accuracy = [
            100 * selector.with_run(run).score(split.X_test, split.y_test) for run in range(runs)
        ]
        append(out, "accuracy", "ipcae", sizes, accuracy, "%")


def plain(out: Path, split: Rows) -> None:
    """Measure the plain implementation with different numbers of loader processes.

    The paper's published configuration has sixteen.
    """
    for workers in (0, 4, 16):
        name = f"plain, {workers} loader processes" if workers else "plain"
        seconds = [plain_seconds(split, workers) for _ in range(3)]
        sizes = {"runs": 1, **SIZES, "validation": len(split.X_val), "draws": "row"}
        append(out, "target", name, sizes, seconds, "s")


def training_data(split: Rows) -> tuple[np.ndarray, ...]:
    """Return the arrays that `fit` takes."""
    return split[:4]


def own_settings(sizes: dict) -> dict:
    """Return the sizes that are arguments of `fit`."""
    names = "runs", "nodes", "embedding", "rows", "draws", "precision"
    return {name: sizes[name] for name in names}


def plain_seconds(split: Rows, workers: int) -> float:
    """Return the seconds of 200 epochs of one run, extrapolated from three epochs."""
    tables = (split.X_train, split.y_train), (split.X_val, split.y_val)
    rows, validation = (TensorDataset(*map(torch.from_numpy, table)) for table in tables)
    training = PlainTraining(rows, validation, SIZES["rows"], "cuda", workers)
    for epoch in range(4):
        if epoch == 1:
            torch.cuda.synchronize()
            began = time.perf_counter()
        training.epoch()
        training.validate()
    torch.cuda.synchronize()
    return 200 * (time.perf_counter() - began) / 3


def n_steps(n_features: int) -> int:
    """Return the number of batches in an epoch, fewer with many features."""
    return 16 if n_features < 10**5 else 2


def growth(out: Path, question: str, values: list, draws: int | str = "row", **fixed):
    """Measure time and memory against one size, on random rows."""
    for value in values:
        sizes = {"runs": 1, **SIZES, "draws": draws, "precision": "tf32", **fixed, question: value}
        sizes["embedding"] = min(sizes["embedding"], sizes["features"])
        rng = np.random.default_rng(0)
        n = n_steps(sizes["features"]) * sizes["rows"]
        X = rng.standard_normal((n, sizes["features"]), dtype=np.float32)
        y = rng.integers(10, size=n)
        own = own_settings(sizes)
        sizes["validation"] = sizes["rows"]
        data = X, y, X[: sizes["rows"]], y[: sizes["rows"]]

        def seconds(epochs: int, data=data, own=own) -> float:
            return fit(*data, **own, epochs=epochs).fit_seconds_

        seconds(2)
        more = int(np.clip(0.3 * 8 / max(seconds(12) - seconds(4), 1e-4), 8, 300))
        steps = [(seconds(4 + more) - seconds(4)) / (more * n // sizes["rows"]) for _ in range(3)]
        append(out, question, "ipcae", sizes, [1e6 * step for step in steps], "us/step")
        append(out, question + " memory", "ipcae", sizes, [peak_megabytes(*data, **own)], "MB")


def peak_megabytes(*data, **settings) -> float:
    """Return the peak memory of a training."""
    gc.collect()
    torch.cuda.empty_cache()
    torch.cuda.reset_peak_memory_stats()
    before = torch.cuda.memory_allocated()
    fit(*data, **settings, epochs=4)
    return (torch.cuda.max_memory_allocated() - before) / 1e6


def validation(out: Path, split: Rows) -> None:
    """Measure the memory of validation with many outputs."""
    for runs, n_rows in ((1, 2048), (10, 512), (10, 2048), (10, 8192)):
        sizes = {"runs": runs, **SIZES, "embedding": 64, "draws": 1, "precision": "tf32"}
        sizes |= {"features": 5000, "outputs": 5000, "validation": n_rows}
        rng = np.random.default_rng(0)
        X, X_val = (
            rng.standard_normal((n, sizes["features"]), dtype=np.float32)
            for n in (n_steps(sizes["features"]) * sizes["rows"], n_rows)
        )
        peak = peak_megabytes(X, None, X_val, None, **own_settings(sizes))
        append(out, "validation memory", "ipcae", sizes, [peak], "MB")


def runs(out: Path, split: Rows) -> None:
    """Measure growth with the number of runs."""
    growth(out, "runs", [1, 2, 5, 10, 20, 40])
    growth(out, "runs", [1, 2, 5, 10, 20, 40], draws=1)


def features(out: Path, split: Rows) -> None:
    """Measure growth with the number of features, up to a million."""
    growth(out, "features", [196, 784, 3136, 12_544, 50_176, 200_000, 10**6], embedding=64)
    growth(out, "features", [12_544, 200_000, 10**6], draws=8, embedding=64)


def nodes(out: Path, split: Rows) -> None:
    """Measure growth with the number of selected features."""
    growth(out, "nodes", [10, 50, 100, 200])


def rows(out: Path, split: Rows) -> None:
    """Measure growth with the batch size."""
    growth(out, "rows", [32, 128, 512, 2048])


QUESTIONS = {
    "first": first_call,
    "target": targets,
    "plain": plain,
    "runs": runs,
    "features": features,
    "nodes": nodes,
    "rows": rows,
    "validation": validation,
}
TESTS = ["tests/ops", "tests/runs", "tests/training/epochs/test_captured_kernels.py"]


def main() -> None:
    """Run the tests, then the measurements."""
    options = parse_gpu(__doc__, "train_gpu.csv", TESTS, only=QUESTIONS)
    split = load_rows("mnist", options.splits)
    for name in options.only:
        QUESTIONS[name](Path(options.out), split)


if __name__ == "__main__":
    sys.exit(main())
