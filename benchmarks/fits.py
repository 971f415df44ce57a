"""Record the results of small fits, bit for bit, to check that a refactoring changes nothing.

    python benchmarks/fits.py            # compare with benchmarks/fits.csv
    python benchmarks/fits.py --record   # write benchmarks/fits.csv
    python benchmarks/fits.py --record --only anova   # renew some of its rows

Each row is one fit: selected features, validation losses and hashes of the fitted values. The
bits depend on the CPU and on the versions of PyTorch and NumPy, so record and compare on the same
machine.
"""

from __future__ import annotations

import argparse
import csv
import hashlib
import os
import sys
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

os.environ.setdefault("TRITON_INTERPRET", "1")

import numpy as np
import torch
from torch import nn

from ipcae import (
    ClassificationSelector,
    Concrete,
    Diagonal,
    Direct,
    Full,
    Gjsd,
    LassoNet,
    Mlp,
    MlpLogits,
    ReconstructionSelector,
    RegressionSelector,
    Scalar,
    Separate,
    paper_settings,
)
from ipcae.ops.dispatch import kernels_everywhere

ROWS = Path(__file__).with_suffix(".csv")
N_ROWS, N_FEATURES = 96, 14

_random = np.random.default_rng(7)
X = _random.normal(size=(N_ROWS, N_FEATURES)) * _random.uniform(0.5, 2.0, N_FEATURES)
X[:, 9] = X[:, 2] + 0.1 * _random.normal(size=N_ROWS)
CLASSES = np.array(["a", "b", "c"])[(X[:, 2] > 0).astype(int) + (X[:, 5] > 0)]
LABELS = (X[:, [1, 4]] > 0).astype(int)
NUMBERS = X[:, 3] * 2 + X[:, 6] ** 2
WEIGHTS = _random.uniform(0.0, 2.0, N_ROWS)
CONSTANT = np.where(np.arange(N_FEATURES) == 0, 1.0, X)

TARGETS: dict[str, Any] = {
    "classification": CLASSES,
    "multilabel": LABELS,
    "regression": NUMBERS,
    "regression-2": np.stack([NUMBERS, X[:, 0]], 1),
}


def own_network(n_inputs: int, n_outputs: int) -> nn.Module:
    """Return a decoder with dropout and batch norm, which is computed run by run."""
    return nn.Sequential(
        nn.Linear(n_inputs, 8),
        nn.BatchNorm1d(8),
        nn.ReLU(),
        nn.Dropout(0.1),
        nn.Linear(8, n_outputs),
    )


def absolute_error(outputs: torch.Tensor, targets: torch.Tensor) -> torch.Tensor:
    """Return a custom loss."""
    return (outputs - targets).abs().mean(-1)


def fit(task: str, *, data: Any = X, weights: Any = None, k: int = 4, **settings: Any) -> Any:
    """Fit a small selector."""
    small = {"n_runs": 2, "max_epochs": 8, "batch_size": 16, "decoder": (12,)}
    settings = {"method": "ip-cae", **small, **settings}
    settings.setdefault("random_state", 3)
    if task == "reconstruction":
        return ReconstructionSelector(k, **settings).fit(data, sample_weight=weights)
    kind = RegressionSelector if task.startswith("regression") else ClassificationSelector
    return kind(k, **settings).fit(data, TARGETS[task], weights)


def cases() -> Iterator[tuple[str, Callable[[], Any]]]:
    """Yield the name of every case and a function that fits it."""

    def case(name: str, task: str, **settings: Any) -> tuple[str, Callable[[], Any]]:
        return f"{task}/{name}", lambda: fit(task, **settings)

    for task in ("reconstruction", *TARGETS):
        yield case("default", task)
    for method in ("cae", "ip-cae-diagonal", "ip-cae-scalar", "ip-cae-mlp", "stg", "lassonet"):
        yield case(method, "classification", method=method)
    for method in ("stg", "lassonet"):
        yield case(method, "reconstruction", method=method)
        yield case(method, "regression", method=method)
    for method in ("anova", "mutual-information", "random-forest", "l1-logistic"):
        yield case(method, "classification", method=method)
    for method in ("pfa", "pivoted-qr", "udfs"):
        yield case(method, "reconstruction", method=method)
    for method in ("lasso", "random-forest", "anova"):
        yield case(method, "regression", method=method)
    yield case("random-forest", "multilabel", method="random-forest")
    yield case("separate", "classification", method=Concrete(Separate(size=4)))
    yield case("gjsd", "classification", method=Concrete(Direct(), regularizer=Gjsd((0.0, 0.05))))
    yield case("straight-through", "reconstruction", method=Concrete(Full(), straight_through=True))
    yield case("small-p", "regression", method=Concrete(Full(size=3), noise_draws=1))
    yield case("mlp-logits", "regression", method=Concrete(MlpLogits()))
    yield case("groups", "classification", method=LassoNet(groups=((0, 1), (2, 9))))
    yield case("draw-per-row", "classification", noise_draws="row")
    yield case("linear", "regression", decoder="linear")
    yield case("dropout", "classification", decoder=Mlp((12, 8), dropout=0.3))
    yield case("own-network", "classification", decoder=own_network)
    yield case("huber", "regression", loss="huber")
    yield case("own-loss", "regression", loss=absolute_error)
    yield case("weights", "classification", weights=WEIGHTS)
    yield case("weights", "reconstruction", weights=WEIGHTS)
    yield case("constant-column", "reconstruction", data=CONSTANT)
    yield case("float32", "classification", data=X.astype(np.float32))
    yield case("cosine-decay", "classification", schedule="cosine", weight_decay=1e-3)
    yield case("rates-early", "classification", learning_rate=[1e-2, 1e-3], early_stopping=3)
    yield case("no-validation", "regression", validation_fraction=None, fine_tune=False)
    yield case("duplicates", "classification", unique=False, shuffle=False, drop_last=True)
    yield case(
        "paper", "classification", **{**paper_settings("ip-cae", batch_size=16), "max_epochs": 8}
    )
    yield case("long", "classification", max_epochs=900, n_runs=2)  # a traced step

    def interpreted(name: str, task: str, **settings: Any) -> tuple[str, Callable[[], Any]]:
        def work() -> Any:
            with kernels_everywhere():
                return fit(task, max_epochs=2, **settings)

        return f"{task}/{name}, kernels", work

    yield interpreted("default", "classification")
    yield interpreted("default", "reconstruction")
    yield interpreted("cae", "regression", method=Concrete(Direct(), noise_draws="row"))
    yield interpreted("diagonal", "classification", method=Concrete(Diagonal(), regularizer=Gjsd()))
    yield interpreted("scalar", "multilabel", method=Concrete(Scalar(), noise_draws=1))
    yield interpreted("stg", "regression", method="stg", n_runs=1)
    yield interpreted("lassonet", "classification", method="lassonet", n_runs=1)
    yield interpreted("weights", "classification", weights=WEIGHTS)


def row_of(name: str, selector: Any) -> dict[str, str]:
    """Return the values of a fitted selector that must not change."""
    digest = hashlib.sha256()
    for key, tensor in sorted(selector.params_.items()):
        digest.update(key.encode())
        digest.update(tensor.contiguous().numpy().tobytes())
    history = selector.history_["value"].astype(np.float64)
    return {
        "case": name,
        "features": ";".join(" ".join(map(str, s.features)) for s in selector.selections_),
        "validation_loss": " ".join(float(v).hex() for v in selector.validation_loss_),
        "importance": hashlib.sha256(selector.importance_.tobytes()).hexdigest()[:16],
        "history": hashlib.sha256(history.tobytes()).hexdigest()[:16],
        "ranking": hashlib.sha256(selector.ranking_.tobytes()).hexdigest()[:16],
        "parameters": digest.hexdigest()[:16],
    }


def main() -> int:
    """Record the fits, or compare them with the recorded ones."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--record", action="store_true", help="write fits.csv")
    parser.add_argument("--only", default="", help="only cases whose name contains this text")
    options = parser.parse_args()
    torch.set_num_threads(1)
    recorded = {}
    if options.only or not options.record:
        with ROWS.open() as file:
            recorded = {row["case"]: row for row in csv.DictReader(file)}
    rows, n_changed = [], 0
    for name, work in cases():
        if options.only not in name:
            continue
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            rows.append(row_of(name, work()))
        if recorded:
            before = recorded.get(name, {})
            changed = [key for key, value in rows[-1].items() if before.get(key) != value]
            n_changed += bool(changed)
            print(f"{name}: {'changed ' + ', '.join(changed) if changed else 'same'}", flush=True)
    if options.record:
        new = {row["case"]: row for row in rows}
        rows = [new.get(name, recorded.get(name)) for name, _ in cases()]
        rows = [row for row in rows if row is not None]
        with ROWS.open("w", newline="") as file:
            writer = csv.DictWriter(file, list(rows[0]), lineterminator="\n")
            writer.writeheader()
            writer.writerows(rows)
        print(f"{len(new)} fits recorded")
        return 0
    print(f"{len(rows)} fits, {n_changed} changed")
    return 1 if n_changed else 0


if __name__ == "__main__":
    sys.exit(main())
