"""``ipcae demo``: select 16 pixels of handwritten digits for two tasks."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import torch
from numpy.typing import NDArray
from sklearn.datasets import load_digits

from ipcae.cli import exits
from ipcae.cli.demo_plot import plot_demo
from ipcae.cli.experiment import Experiment, plan_experiment
from ipcae.cli.experiment_result import Result, run_experiment
from ipcae.cli.inputs.detection import DetectedTask
from ipcae.cli.inputs.input_table import InputTable
from ipcae.cli.messages import Messages
from ipcae.cli.options.selection_options import FitOptions
from ipcae.cli.outputs.folder import check_writable, write_file
from ipcae.cli.outputs.results import expected_bytes, write_results
from ipcae.cli.outputs.settings_file import settings_of
from ipcae.filesystem.locks import locked
from ipcae.plots import png_bytes
from ipcae.tasks import Classification, Reconstruction

GRID = (8, 8)
N_PIXELS = 16
EPOCHS = 60
TASKS = (
    DetectedTask(Reconstruction, "reconstruct the image"),
    DetectedTask(Classification, "classify the digit"),
)


def run_demo(
    out: Path, *, quiet: bool, epochs: int = EPOCHS, tasks: Sequence[DetectedTask] = TASKS
) -> int:
    """Select pixels for every task, write the results and plot the first."""
    digits: Any = load_digits(as_frame=True)
    images, labels = digits.data, digits.target.to_numpy()
    options = FitOptions(N_PIXELS, runs=1, epochs=epochs, verdict=False)
    experiments = [plan_experiment(_table(images, labels, task), options) for task in tasks]
    check_writable(out, sum(map(expected_bytes, experiments)))
    with locked(out):
        return _run(out, experiments, labels, quiet=quiet)


def _run(
    out: Path, experiments: list[Experiment], labels: NDArray[np.int64], *, quiet: bool
) -> int:
    images = experiments[0].table.X
    messages = Messages(quiet)
    say = messages.say
    say(
        f"{len(images)} handwritten digits of {GRID[0]} × {GRID[1]} pixels, from scikit-learn; "
        f"{len(experiments[0].test)} are held out."
    )
    results: list[Result] = []
    for experiment in experiments:
        say(f"\nWhich {N_PIXELS} pixels {experiment.table.task.reason} best?")
        with one_thread():
            results.append(run_experiment(experiment, Messages(quiet)))
        if results[-1].interrupted:
            break

    for result in results:
        folder = out / result.experiment.table.task.name
        folder.mkdir(exist_ok=True)
        arguments = {"command": "demo", "grid": GRID, "out": out, "quiet": quiet}
        write_results(folder, result, settings_of(result, arguments), messages, GRID)
    write_file(out / "demo.png", png_bytes(plot_demo(results[0], labels, GRID)))
    say(f"\n{findings(results)}\n")
    folders = " and ".join(str(out / result.experiment.table.task.name) for result in results)
    say(f"The plot is {out / 'demo.png'}; the files of each selection are in {folders}.")
    return exits.INTERRUPTED if results[-1].interrupted else exits.OK


def _table(images: pd.DataFrame, labels: NDArray[np.int64], task: DetectedTask) -> InputTable:
    y, target = (labels, "digit") if task.task.discrete else (None, None)
    return InputTable(images, y, task, target, "digits", {"name": "digits, from scikit-learn"})


@contextmanager
def one_thread() -> Iterator[None]:
    """Train with one thread: for so few pixels, more threads are slower."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(before)


def findings(results: list[Result]) -> str:
    """Draw the selected pixels of every result side by side, with the score below."""
    blocks = []
    for result in results:
        evaluation = result.evaluation
        task = evaluation.task
        pixels = result.features.indices[: result.features.n_selected]
        title = f"to {result.experiment.table.task.reason}"
        blocks.append(
            [
                title,
                *drawing(pixels, GRID),
                f"{task.score_label}: {task.write_score(evaluation.score)}",
                f"baseline: {task.write_score(evaluation.baseline_score)}",
            ]
        )
    return "\n".join(
        "".join(f"  {line:<28}" for line in lines).rstrip() for lines in zip(*blocks, strict=True)
    )


def drawing(pixels: NDArray[np.int64], grid: tuple[int, int]) -> list[str]:
    """Draw the selected pixels with characters.

    >>> print(*drawing(np.array([0, 5]), (2, 3)), sep="\\n")
    ■ · ·
    · · ■
    """
    cells = np.full(grid, "·")
    cells.flat[pixels] = "■"
    return [" ".join(row) for row in cells]
