"""Compare ways to finish the training of a decoder, on development rows.

    python benchmarks/endings.py [--known FOLDER] [--datasets har] [--splits 4] [--runs 5]
    python benchmarks/endings.py --show

``fit`` gets three quarters of the rows that are not test rows (see ``cells.py``), of har those of
three quarters of its people; the others are for evaluation. Features are selected once. From
the same start, the decoders are then fine-tuned and refitted in different ways (:data:`ENDINGS`).
The value is the mean over the runs of the accuracy in percent, or of the reconstruction error times
1000.
"""

from __future__ import annotations

import csv
import time
from collections import defaultdict
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple
from unittest.mock import patch

import numpy as np
import torch
from cells import Known, load_known
from numpy.typing import NDArray
from rows import new_parser, write
from sklearn.metrics import log_loss
from sklearn.model_selection import train_test_split

from ipcae import ClassificationSelector, ReconstructionSelector
from ipcae.data import CATALOGUE
from ipcae.models import FixedSelection, Params
from ipcae.runs import Runs
from ipcae.schedules import Cosine
from ipcae.training import Phase, Problem, train
from ipcae.training.choices import choice, refitting
from ipcae.training.fit import Fit
from paper.protocol import CLASSIFICATION, DATASETS, TASKS

N_FOLDS = 4


class Start(NamedTuple):
    """The decoders of all runs before their fine-tuning, and after it."""

    problem: Problem
    model: FixedSelection
    params: Params
    tuned: Fit


def again(start: Start, factor: float = 1, shift: int = 0, **plan: Any) -> Params:
    """Train on all rows, with other seeds if there is a shift, for so many times the epochs."""
    problem, seeds = start.problem, [seed + shift for seed in start.problem.runs.seeds]
    changed = {
        "max_epochs": round(factor * problem.fine_tune_epochs),
        "schedule": Cosine(),
        "patience": None,
        "keep_last": True,
    }
    problem = replace(
        problem,
        rows=problem.known_rows,
        plan=replace(problem.plan, **changed | plan),
        runs=Runs.of(seeds, problem.runs.learning_rates),
    )
    return train(start.model, problem, Phase.REFITTING, start=start.params).params


def default(start: Start) -> list[Params]:
    """Refit as ``fit`` does."""
    return [choice.refitted(start.problem, start.model, start.params, start.tuned).params]


def if_improved(start: Start) -> list[Params]:
    """Refit the runs that the fine-tuning improved, those of classes always."""
    with patch.object(refitting, "_TOLERANCE", 0.0):
        return default(start)


def several(n: int) -> Callable[[Start], list[Params]]:
    """Refit n times with different noise; the predictions are averaged."""
    return lambda start: [again(start, shift=1000 * number) for number in range(n)]


ENDINGS: dict[str, Callable[[Start], list[Params]]] = {
    "fine-tuned": lambda start: [start.tuned.params],
    "if improved": if_improved,
    "default": default,
    "always": lambda start: [again(start)],
    "epochs / 2": lambda start: [again(start, 0.5)],
    "epochs × 2": lambda start: [again(start, 2)],
    "batches × 2": lambda start: [again(start, batch_size=2 * start.problem.plan.batch_size)],
    "batches / 2": lambda start: [again(start, batch_size=start.problem.plan.batch_size // 2)],
    "two averaged": several(2),
    "four averaged": several(4),
}


def split(known: Known, number: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the rows to learn from, and those to judge by."""
    if known.groups is None:
        rows = np.arange(len(known.y))
        return train_test_split(rows, test_size=0.25, random_state=number, stratify=known.y)
    people = np.random.default_rng(16).permutation(np.unique(known.groups))
    left_out = np.isin(known.groups, people[number % N_FOLDS :: N_FOLDS])
    return np.flatnonzero(~left_out), np.flatnonzero(left_out)


def fitted(task: str, known: Known, rows: NDArray[np.int64], n_selected: int, **settings: Any):
    """Return a fitted selector, and where its decoders began to be fine-tuned."""
    kind = ClassificationSelector if task == CLASSIFICATION else ReconstructionSelector
    given = {"X": known.X[rows]} | ({"y": known.y[rows]} if kind._task.supervised else {})
    if known.groups is not None:
        given["groups"] = known.groups[rows]
    starts: list[Start] = []

    def keep(problem: Problem, model: FixedSelection, params: Params, tuned: Fit) -> Fit:
        starts.append(Start(replace(problem, callbacks=()), model, params, tuned))
        return tuned

    with patch.object(choice, "refitted", keep):
        selector = kind(n_selected, **settings).fit(**given)
    return selector, starts[-1]


def judge(selector: Any, states: list[Params], X: NDArray, y: NDArray) -> tuple[float, float]:
    """Return the mean over the runs of the accuracy or error, and of the loss."""
    values, losses, supervised = [], [], selector._task.supervised
    for run in range(len(selector.selections_)):
        outputs = []
        for params in states:
            selector.params_ = {name: tensor.detach().cpu() for name, tensor in params.items()}
            one = selector.with_run(run)
            outputs.append((one.predict_proba if supervised else one.reconstruct)(X))
        mean = np.mean(outputs, 0)
        if supervised:
            values.append(100 * np.mean(selector.classes_[mean.argmax(1)] == y))
            losses.append(log_loss(y, mean, labels=selector.classes_))
        else:
            values.append(1000 * np.linalg.norm(mean - X, axis=1).mean() / X.shape[1])
            losses.append(np.square(mean - X).mean())
    return float(np.mean(values)), float(np.mean(losses))


def measure(dataset: str, task: str, known: Known, number: int, options: Any):
    """Yield a row for every ending."""
    train_rows, others = split(known, number)
    if options.most:
        train_rows = np.random.default_rng(0).permutation(train_rows)[: options.most]
    selector, start = fitted(
        task,
        known,
        train_rows,
        CATALOGUE[dataset].n_selected,
        n_runs=options.runs,
        random_state=number,
        device=options.device,
        **({"max_epochs": options.epochs} if options.epochs else {}),
    )
    for name in options.endings:
        begin = time.perf_counter()
        states = ENDINGS[name](start)
        if torch.cuda.is_available():
            torch.cuda.synchronize()
        seconds = time.perf_counter() - begin
        value, loss = judge(selector, states, known.X[others], known.y[others])
        yield {
            "dataset": dataset,
            "task": task,
            "split": number,
            "method": selector.method_,
            "ending": name,
            "value": f"{value:.5g}",
            "loss": f"{loss:.5g}",
            "seconds": f"{seconds:.2f}",
        }


def show(path: Path) -> None:
    """Print the mean over the splits, and the difference to the first ending with its error."""
    found: dict[tuple[str, str], dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    with path.open(newline="") as file:
        for row in csv.DictReader(file):
            found[row["task"], row["dataset"]][row["ending"]].append(float(row["value"]))
    for task in TASKS:
        cells = {dataset: found[task, dataset] for dataset in DATASETS if found[task, dataset]}
        print(f"| {task} | " + " | ".join(cells) + " |")
        for ending in ENDINGS:
            means = (
                f"{np.mean(cell[ending]):.4g}" if cell[ending] else "" for cell in cells.values()
            )
            print(f"| {ending} | " + " | ".join(means) + " |")


def main() -> None:
    """Measure what was asked for and append the rows, or show them."""
    parser = new_parser(__doc__, "endings.csv")
    parser.add_argument("--datasets", nargs="+", default=["har"], choices=DATASETS)
    parser.add_argument("--tasks", nargs="+", default=TASKS, choices=TASKS)
    parser.add_argument("--endings", nargs="+", default=[*ENDINGS], choices=ENDINGS)
    parser.add_argument("--splits", type=int, default=N_FOLDS)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--known", help="a folder written by cells.py --pack")
    parser.add_argument("--device", default="auto")
    parser.add_argument("--most", type=int, help="number of rows to learn from, for a trial")
    parser.add_argument("--epochs", type=int, help="max_epochs, for a trial")
    parser.add_argument("--show", action="store_true")
    options = parser.parse_args()
    if options.show:
        return show(Path(options.out))
    for dataset in options.datasets:
        known = load_known(dataset, options.known)
        for task in options.tasks:
            for number in range(options.splits):
                for row in measure(dataset, task, known, number, options):
                    write(Path(options.out), [row])
                    print(*row.values(), flush=True)
    return None


if __name__ == "__main__":
    main()
