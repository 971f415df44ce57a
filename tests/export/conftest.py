"""Fitted selectors of every task, kept for all tests, and the predictions they should give."""

import warnings
from collections.abc import Callable, Iterator
from functools import cache
from typing import Any

import numpy as np
import pytest
from torch import nn

from ipcae import (
    ClassificationSelector,
    Mlp,
    ReconstructionSelector,
    RegressionSelector,
    TrainingWarning,
)

N_ROWS, N_FEATURES = 80, 6


def own_network(n_inputs: int, n_outputs: int) -> nn.Module:
    return nn.Sequential(
        nn.BatchNorm1d(n_inputs), nn.Linear(n_inputs, 5), nn.Tanh(), nn.Linear(5, n_outputs)
    )


DECODERS: dict[str, Any] = {
    "linear": "linear",
    "one layer": (16,),
    "two layers": (16, 8),
    "no norm": Mlp((16,), dropout=0.2, slope=0.1, normalize=False),
    "skip": Mlp((16, 8), noise=0.1, skip=True),
    "own": own_network,
}


def targets_of(rows: np.ndarray, task: str) -> Any:
    first, second = rows[:, 1] > 0, rows[:, 4] > 0
    number = first.astype(int) + second
    made = {
        "integers": 10 * number,
        "floats": 2.0 * number,
        "truth": first,
        "texts": np.array(["a", "bb", "cçc"])[number],
        "objects": np.array(["a", "bb", "ccc"], dtype=object)[number],
        "labels": np.stack([first, second, ~first], axis=1).astype(int),
        "number": 5e3 + 1e3 * rows[:, 1],
        "numbers": rows[:, :2] * [1, 1e6] - [0, 1e6],
        "none": None,
    }
    return made[task]


@pytest.fixture(scope="session")
def fitted() -> Callable[..., Any]:
    """Fit a selector of three columns; the same arguments give the same object."""

    @cache
    def fit(task: str, decoder: str = "one layer", scale: str | None = "auto", **more: Any) -> Any:
        offset = more.pop("offset", 0.0)
        rows = np.random.default_rng(0).normal(size=(N_ROWS, N_FEATURES))
        kind: Any = ClassificationSelector
        if task == "none":
            kind = ReconstructionSelector
        elif "number" in task:
            kind = RegressionSelector
        settings = {"max_epochs": 4, "batch_size": 32, "random_state": 0, **more}
        selector = kind(3, decoder=DECODERS[decoder], scale=scale, **settings)
        return selector.fit(
            rows * np.geomspace(0.5, 4, N_FEATURES) + offset * np.arange(N_FEATURES),
            targets_of(rows, task),
        )

    return fit


@pytest.fixture(autouse=True)
def rows_beyond_those_of_the_training() -> Iterator[None]:
    """Do not warn of them: they are meant to go beyond."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "X has values far outside", TrainingWarning)
        yield


@pytest.fixture(scope="session")
def new_rows() -> Callable[..., np.ndarray]:
    """Return rows that go beyond those of the training."""

    def make(offset: float = 0.0, n_rows: int = 1000, seed: int = 1) -> np.ndarray:
        rows = 3 * np.random.default_rng(seed).normal(size=(n_rows, N_FEATURES))
        return rows + offset * np.arange(N_FEATURES)

    return make


@pytest.fixture(scope="session")
def answer() -> Callable[[Any, np.ndarray], tuple[np.ndarray, Any]]:
    """Return what the selector itself says, and the unit in which to measure a difference."""

    def ours(selector: Any, rows: np.ndarray) -> tuple[np.ndarray, Any]:
        if hasattr(selector, "classes_"):
            return selector.predict_proba(rows), 1.0
        if selector.task_.name == "regression":
            return selector.predict(rows), selector.task_.scaler.scale.numpy()
        return selector.reconstruct(rows), selector.scaler_.scale.numpy()

    return ours
