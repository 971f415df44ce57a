"""Small fitted selectors, and a comparison of two of them."""

from collections.abc import Callable
from dataclasses import fields, is_dataclass
from typing import Any

import numpy as np
import pandas as pd
import pytest
import torch

from ipcae import ClassificationSelector, ReconstructionSelector, RegressionSelector

N_ROWS, N_FEATURES = 60, 6
QUICK = {"method": "ip-cae", "max_epochs": 2, "batch_size": 32, "decoder": (4,), "random_state": 0}


def same(one: Any, other: Any) -> bool:
    """Compare type by type and bit by bit; NaN equals NaN."""
    if type(one) is not type(other):
        return False
    if isinstance(one, torch.Tensor):
        return one.dtype == other.dtype and torch.equal(one, other)
    if isinstance(one, np.ndarray):
        return one.dtype == other.dtype and one.tolist() == other.tolist()
    if isinstance(one, dict):
        return one.keys() == other.keys() and all(same(one[key], other[key]) for key in one)
    if isinstance(one, list | tuple):
        return len(one) == len(other) and all(map(same, one, other))
    if is_dataclass(one):
        return all(same(getattr(one, f.name), getattr(other, f.name)) for f in fields(one))
    return repr(one) == repr(other)


@pytest.fixture(scope="session")
def rows() -> np.ndarray:
    return np.random.default_rng(0).normal(size=(N_ROWS, N_FEATURES))


@pytest.fixture(scope="session")
def frame(rows: np.ndarray) -> pd.DataFrame:
    return pd.DataFrame(rows, columns=[f"gene {i} µ" for i in range(N_FEATURES)])


@pytest.fixture(scope="session")
def targets(rows: np.ndarray) -> dict[str, Any]:
    """Return every kind of target, by name."""
    first, second = rows[:, 1] > 0, rows[:, 4] > 0
    number = first.astype(int) + second
    return {
        "integers": number,
        "small integers": number.astype(np.int8),
        "floats": 2.0 * number,
        "truth": first,
        "texts": np.array(["a", "bb", "cçc"])[number],
        "wide texts": np.array(["a", "bb", "ccc"], dtype="U40")[number],
        "object texts": np.array(["a", "bb", "ccc"], dtype=object)[number],
        "several labels": np.stack([first, second], axis=1).astype(int),
        "number": 5e4 + 1e3 * rows[:, 1],
        "several numbers": rows[:, :2] * [1, 1e6],
        "none": None,
    }


@pytest.fixture(scope="session")
def fitted(rows: np.ndarray, targets: dict[str, Any]) -> Callable[..., Any]:
    """Fit a selector of three columns for a target of that name."""

    def fit(target: str, X: Any = None, **settings: Any) -> Any:
        kind: Any = ClassificationSelector
        if target == "none":
            kind = ReconstructionSelector
        elif "number" in target:
            kind = RegressionSelector
        selector = kind(**{"n_features_to_select": 3, **QUICK, **settings})
        return selector.fit(rows if X is None else X, targets[target])

    return fit


@pytest.fixture(scope="session")
def alike(rows: np.ndarray) -> Callable[[Any, Any], None]:
    """Check that two selectors hold the same, and answer the same, bit for bit."""

    def check(one: Any, other: Any) -> None:
        assert type(one) is type(other)
        held, expected = vars(one), vars(other)
        assert held.keys() == expected.keys()
        for name in expected:
            assert same(held[name], expected[name]), name
        X = torch.from_numpy(rows)
        np.testing.assert_array_equal(one.transform(X), other.transform(X))
        np.testing.assert_array_equal(one.ranking_, other.ranking_)
        for method in ("predict", "predict_proba", "reconstruct"):
            if hasattr(other, method):
                answer, wanted = getattr(one, method)(X), getattr(other, method)(X)
                assert answer.dtype == wanted.dtype
                np.testing.assert_array_equal(answer, wanted)

    return check
