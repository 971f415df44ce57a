"""``ipcae demo``: 16 pixels of handwritten digits, and what they suffice for."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import torch
from numpy.typing import NDArray
from sklearn.datasets import load_digits

from ipcae.cli import exits
from ipcae.cli.demo_picture import draw_demo
from ipcae.cli.experiment import Experiment, Result, plan_experiment, run_experiment
from ipcae.cli.messages import Messages
from ipcae.cli.options import Options
from ipcae.cli.outputs import check_writable, write_file
from ipcae.cli.problem import Problem
from ipcae.cli.results import expected_bytes, write_results
from ipcae.cli.settings import describe
from ipcae.cli.task import DetectedTask
from ipcae.locks import locked
from ipcae.plots import png_bytes
from ipcae.tasks import Classification, Reconstruction

GRID = (8, 8)
N_PIXELS = 16
EPOCHS = 60
TASKS = (
    DetectedTask(Reconstruction, "restore the image"),
    DetectedTask(Classification, "name the digit"),
)


def demonstrate(out: Path, *, quiet: bool, epochs: int = EPOCHS) -> int:
    """Select pixels for two tasks, write the results of each and draw the first."""
    digits: Any = load_digits(as_frame=True)
    images, labels = digits.data, digits.target.to_numpy()
    options = Options(N_PIXELS, runs=1, epochs=epochs)
    experiments = [plan_experiment(_problem(images, labels, task), options) for task in TASKS]
    check_writable(out, sum(map(expected_bytes, experiments)))
    with locked(out):
        return _demonstrate(out, experiments, labels, quiet=quiet)


def _demonstrate(
    out: Path, experiments: list[Experiment], labels: NDArray[np.int64], *, quiet: bool
) -> int:
    images = experiments[0].problem.X
    messages = Messages(quiet)
    say = messages.say
    say(
        f"{len(images)} handwritten digits of {GRID[0]} × {GRID[1]} pixels, from scikit-learn; "
        f"{len(experiments[0].test)} are held out."
    )
    results: list[Result] = []
    for experiment in experiments:
        say(f"\nWhich {N_PIXELS} pixels {experiment.problem.task.reason} best?")
        with one_thread():
            results.append(run_experiment(experiment, Messages(quiet)))
        if results[-1].interrupted:
            break

    for result in results:
        folder = out / result.experiment.problem.task.name
        folder.mkdir(exist_ok=True)
        arguments = {"command": "demo", "grid": GRID, "out": out, "quiet": quiet}
        source = {"name": "digits, from scikit-learn"}
        write_results(folder, result, describe(result, arguments, source), messages, GRID)
    write_file(out / "demo.png", png_bytes(draw_demo(results[0], labels, GRID)))
    say(f"\n{findings(results)}\n")
    folders = " and ".join(str(out / result.experiment.problem.task.name) for result in results)
    say(f"Look at {out / 'demo.png'}; the files of each selection are in {folders}.")
    return exits.INTERRUPTED if results[-1].interrupted else exits.OK


def _problem(images: pd.DataFrame, labels: NDArray[np.int64], task: DetectedTask) -> Problem:
    if not task.task.discrete:
        return Problem(images, None, task, None, "digits")
    return Problem(images, labels, task, "digit", "digits")


@contextmanager
def one_thread() -> Iterator[None]:
    """Train on one core: with so few pixels, threads would wait for each other most of the time."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(before)


def findings(results: list[Result]) -> str:
    """Draw the chosen pixels of every result beside each other, with what they achieve below."""
    blocks = []
    for result in results:
        evaluation = result.evaluation
        label, baseline = evaluation.task.score_label, evaluation.task.baseline_name
        pixels = result.features.indices[: result.features.n_selected]
        title = f"to {result.experiment.problem.task.reason}"
        blocks.append(
            [
                title,
                *drawing(pixels, GRID),
                f"{label}: {evaluation.score:.0%}",
                f"({baseline}: {abs(evaluation.baseline_score):.0%})",
            ]
        )
    return "\n".join(
        "".join(f"  {line:<28}" for line in lines).rstrip() for lines in zip(*blocks, strict=True)
    )


def drawing(pixels: NDArray[np.int64], grid: tuple[int, int]) -> list[str]:
    """Draw the chosen pixels with characters.

    >>> print(*drawing(np.array([0, 5]), (2, 3)), sep="\\n")
    ■ · ·
    · · ■
    """
    cells = np.full(grid, "·")
    cells.flat[pixels] = "■"
    return [" ".join(row) for row in cells]
