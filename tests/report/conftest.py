"""Small fitted selectors, and a browser where there is one."""

from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import pytest

from ipcae import (
    ClassificationSelector,
    ReconstructionSelector,
    RegressionSelector,
    StabilitySelection,
)
from ipcae.evaluation import FdrSelection

SELECTORS = {
    "classification": ClassificationSelector,
    "regression": RegressionSelector,
    "reconstruction": ReconstructionSelector,
}


class Case(NamedTuple):
    """A fitted selector, rows that it was not fitted on, and those that it was."""

    selector: Any
    X: pd.DataFrame
    y: Any
    X_train: pd.DataFrame
    y_train: Any

    @property
    def rows(self) -> dict[str, Any]:
        return {"X": self.X, "y": self.y, "X_train": self.X_train, "y_train": self.y_train}


@pytest.fixture(scope="session")
def fitted() -> Callable[..., Case]:
    """Fit one of the three tasks; column "b" is "a" with a little noise, "f" decides nothing."""
    random = np.random.default_rng(0)
    X = pd.DataFrame(random.normal(size=(120, 12)), columns=list("abcdefghijkl"))
    X["b"] = X["a"] + 0.1 * X["b"]
    targets = {
        "classification": np.where(X["a"] + X["c"] > 0, "sick", "well"),
        "regression": (X["a"] - 2 * X["c"]).to_numpy(),
        "reconstruction": None,
    }
    cases: dict[Any, Case] = {}

    def fit(task: str, n_runs: int = 1, names: list[str] | None = None, **settings: Any) -> Case:
        key = (task, n_runs, tuple(names or ()), tuple(settings.items()))
        if key not in cases:
            table = X if names is None else X.set_axis(names, axis=1)
            y = targets[task]
            train, test = slice(0, 80), slice(80, None)
            parts = (None, None) if y is None else (y[train], y[test])
            quick = {"method": "ip-cae", "max_epochs": 8, "decoder": (16,), "random_state": 0}
            quick |= {"learning_rate": 0.01}
            selector = SELECTORS[task](3, n_runs=n_runs, **{**quick, **settings})
            selector.fit(table[train], parts[0])
            cases[key] = Case(selector, table[test], parts[1], table[train], parts[0])
        return cases[key]

    return fit


@pytest.fixture
def written(fitted: Callable[..., Case], tmp_path: Path) -> Path:
    """Return a page with all sections, about names that need care."""
    from ipcae.report import write_report

    names = [
        "<script>alert(1)</script>",
        'quote " and, comma',
        "line\nbreak",
        "</script><b>",
        *"efghijkl",
    ]
    case = fitted("classification", 3, names=names)
    ranking = ClassificationSelector(3, method="anova", max_epochs=1, random_state=0)
    stability = StabilitySelection(ranking, n_subsamples=4, refit=False)
    discoveries = FdrSelection(names[:2], np.linspace(1, -1, 12), 0.8, 0.1, 0.1, "permuted")
    return write_report(
        case.selector,
        tmp_path / "panel.html",
        **case.rows,
        grid=(3, 4),
        stability=stability.fit(case.X_train, case.y_train),
        discoveries=discoveries,
    )
