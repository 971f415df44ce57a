"""Train and evaluate one cell."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from functools import cache
from pathlib import Path
from typing import Any, Literal

import numpy as np
import torch
from numpy.typing import NDArray

import ipcae
from ipcae import ClassificationSelector, ReconstructionSelector
from paper.cell import Cell
from paper.protocol import CLASSIFICATION
from paper.records import Curve, Row
from paper.splits import Rows, load_rows

DRAWN = ("cae", "ip-cae")  # the methods whose curves the figures show
Figures = list[dict[str, float]]
"""The metrics of every run, by name."""


def run_cell(
    cell: Cell,
    splits: str | None,
    device: str,
    turn: AbstractContextManager[Any] = nullcontext(),  # noqa: B008
) -> tuple[list[Row], list[Curve]]:
    """Run a cell; return its rows and curves.

    A selector is trained within ``turn``, a lock if it needs the device for itself, and evaluated
    after it. Waiting does not count as time of the cell.
    """
    rows = load_rows(cell.dataset, splits)
    with turn:
        began = time.perf_counter()
        work = _studies()[cell.study](cell, rows, device)
    figures, curves = evaluate(cell, work, rows) if cell.study == "selection" else work
    seconds = round((time.perf_counter() - began) / len(cell.settings), 2)
    origin = code_version(), device_name(device), seconds
    stored = [
        Row(
            *cell.key(cell.settings[index // cell.n_runs]),
            index % cell.n_runs,
            metric,
            float(value),
            *origin,
        )
        for index, of_run in enumerate(figures)
        for metric, value in of_run.items()
    ]
    return stored, curves


def _studies() -> dict[str, Callable[[Cell, Rows, str], Any]]:
    from paper.data_sizes import count_rows
    from paper.update_norms import measure_updates

    return {"selection": train_selector, "update-norms": measure_updates, "sizes": count_rows}


def train_selector(cell: Cell, rows: Rows, device: str) -> Any:
    """Train all runs of a cell together."""
    arguments = {"n_runs": cell.n_batch, "device": device, **cell.arguments()}
    return fit_selector(cell.task, cell.k, rows, **arguments)


def evaluate(cell: Cell, selector: Any, rows: Rows) -> tuple[Figures, list[Curve]]:
    """Evaluate every run on the test rows."""
    figures = [_figures(cell, selector, run, rows) for run in range(cell.n_batch)]
    return figures, _curves(cell, selector) if cell.method in DRAWN else []


def fit_selector(task: str, k: int, rows: Rows, **arguments: Any) -> Any:
    """Fit the selector of a task to the training and validation rows."""
    # NOTE[DIFF]: the runs' seeds come from random_state=0; the paper's are 11, 22, …, 99, 1010.
    arguments = {"random_state": 0, **arguments}
    if task == CLASSIFICATION:
        classifier = ClassificationSelector(k, **arguments)
        return classifier.fit(rows.X_train, rows.y_train, X_val=rows.X_val, y_val=rows.y_val)
    return ReconstructionSelector(k, **arguments).fit(rows.X_train, X_val=rows.X_val)


def measure(selector: Any, task: str, X: NDArray[np.float32], y: NDArray[np.int64]) -> float:
    """Return the accuracy in percent, or the paper's reconstruction error, ‖x − x̂‖₂ / D."""
    if task == CLASSIFICATION:
        return 100 * selector.score(X, y)
    difference = selector.reconstruct(X) - X
    return float(np.linalg.norm(difference, axis=1).mean() / X.shape[1])


def fit_runs(
    task: str, k: int, rows: Rows, part: Literal["val", "test"], **arguments: Any
) -> tuple[list[tuple[Any, float]], float]:
    """Return each run's selector with its metric on a part of the rows, and the fit's seconds."""
    began = time.perf_counter()
    selector = fit_selector(task, k, rows, **arguments)
    seconds = time.perf_counter() - began
    X, y = getattr(rows, f"X_{part}"), getattr(rows, f"y_{part}")
    runs = [selector.with_run(run) for run in range(arguments["n_runs"])]
    return [(one, measure(one, task, X, y)) for one in runs], seconds


def _figures(cell: Cell, selector: Any, run: int, rows: Rows) -> dict[str, float]:
    figures = {"validation_loss": float(selector.validation_loss_[run])}
    if not np.isfinite(figures["validation_loss"]):
        return {f"test_{cell.metric}": np.nan, **figures}
    one = selector.with_run(run)
    figures[f"test_{cell.metric}"] = measure(one, cell.task, rows.X_test, rows.y_test)
    figures["unique_percentage"] = one.selection_.unique_percentage
    if cell.method in DRAWN:
        figures["best_epoch"] = selector.best_epoch_[run] + 1
    return figures


def _curves(cell: Cell, selector: Any) -> list[Curve]:
    curves = []
    for part, setting in enumerate(cell.settings):
        runs = slice(part * cell.n_runs, (part + 1) * cell.n_runs)
        for metric in (f"validation_{cell.metric}", "unique_percentage", "gjsd"):
            values = history_matrix(selector.history_, metric, cell)[runs]
            curves += summarize(cell.key(setting), metric, values)
            if cell.method == "ip-cae" and metric.startswith("validation"):
                curves += [
                    Curve(*cell.key(setting), metric, f"run {run}", 1, tuple(line))
                    for run, line in enumerate(values.tolist())
                ]
    return curves


def summarize(
    key: tuple[str, str, str, str], metric: str, values: NDArray[np.float64]
) -> list[Curve]:
    """Return mean and standard deviation over the runs at 100 epochs. Shape: values (R, E)."""
    step = max(1, values.shape[1] // 100)
    thinned = values[:, step - 1 :: step]
    mean, std = thinned.mean(0), thinned.std(0)
    return [
        Curve(*key, metric, "mean", step, tuple(mean.tolist())),
        # Two digits keep the file small.
        Curve(*key, metric, "std", step, tuple(float(f"{value:.2g}") for value in std)),
    ]


def history_matrix(history: Any, metric: str, cell: Cell) -> NDArray[np.float64]:
    """Return a metric of the history, NaN after a run has stopped. Shape: (R, epochs)."""
    matrix = np.full((cell.n_batch, cell.epochs), np.nan)
    wanted = history["metric"] == metric
    matrix[history["run"][wanted], history["epoch"][wanted]] = history["value"][wanted]
    return matrix


@cache
def code_version() -> str:
    """Return the version of ipcae and a hash of its source files."""
    folder = Path(ipcae.__file__).parent
    sources = b"".join(path.read_bytes() for path in sorted(folder.rglob("*.py")))
    return f"{ipcae.__version__}+{hashlib.sha256(sources).hexdigest()[:8]}"


def device_name(device: str) -> str:
    """Return the name of the GPU, or cpu."""
    cuda = torch.cuda.is_available() and device != "cpu"
    return torch.cuda.get_device_name() if cuda else "cpu"
