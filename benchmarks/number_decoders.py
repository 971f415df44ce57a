"""Compare decoders of numbers, and ways to finish their training, on development tables.

    python benchmarks/number_decoders.py [--tables diabetes steps] [--seeds 3] [--jobs 2]
    python benchmarks/number_decoders.py --show

Tables are generated with seeds of their own (those of ``suite.py --development``); diabetes is
split at random. Features are selected once per table and seed. From the same start, the decoders
are then fine-tuned and refitted in different ways (:data:`ENDINGS`). The value is R² in percent on
rows that ``fit`` did not see, as the mean over the runs, at least −100.
"""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import replace
from functools import partial
from multiprocessing import get_context
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np
import torch
from comparison.parts import common, further, unusual
from comparison.parts.planted import DEVELOPMENT_SEED
from endings import Start, again
from missing_rows import read_rows
from numpy.typing import NDArray
from rows import new_parser, write
from sklearn import datasets
from sklearn.metrics import r2_score
from sklearn.model_selection import train_test_split

from ipcae import Mlp, RegressionSelector
from ipcae.models import FixedSelection, Params
from ipcae.training import Problem
from ipcae.training.choices import choice, refitting
from ipcae.training.epochs.validation import evaluate
from ipcae.training.fit import Fit
from ipcae.training.states.history import curve

Table = tuple[NDArray, NDArray]
MOST_TEST_ROWS = 1000


def noise(seed: int) -> Table:
    """Return columns that do not predict the target."""
    random = np.random.default_rng(seed)
    return random.normal(size=(150, 50)), random.normal(size=150)


def friedman(seed: int, which: int, rows: int) -> Table:
    """Return one of Friedman's problems; the first has 25 more columns that do not matter."""
    if which == 1:
        return datasets.make_friedman1(rows, 30, noise=1.0, random_state=seed)
    make = datasets.make_friedman2 if which == 2 else datasets.make_friedman3
    X, y = make(rows, random_state=seed)
    random = np.random.default_rng(seed)
    X = np.hstack([X, random.normal(size=(rows, 16))])
    return X, y + 0.2 * y.std() * random.normal(size=rows)


def linear(seed: int, rows: int, columns: int) -> Table:
    """Return a linear relation with ten of the columns, and as much noise as signal."""
    X, y = datasets.make_regression(rows, columns, n_informative=10, random_state=seed)
    return X, y + y.std() * np.random.default_rng(seed).normal(size=rows)


def houses(seed: int, rows: int) -> Table:
    """Return skewed prices that depend on a place, on ratios and on an income that is cut off."""
    random = np.random.default_rng(seed)
    income = np.minimum(random.lognormal(1.2, 0.5, rows), 10)
    rooms, age = random.lognormal(1.6, 0.2, rows), random.uniform(1, 52, rows)
    place = random.uniform(0, 1, (rows, 2))
    near = np.exp(-8 * np.square(place - [0.3, 0.6]).sum(1))
    price = 0.4 * income + 1.5 * near + 0.1 * rooms + 0.005 * age
    price = np.minimum(price * random.lognormal(0, 0.2, rows), 5)
    people = random.lognormal(1, 0.4, rows)
    others = random.normal(size=(rows, 6))
    return np.column_stack([income, rooms, age, people, place, others]), price


TABLES: dict[str, Callable[[int], Table]] = {
    "diabetes": lambda seed: datasets.load_diabetes(return_X_y=True),
    "noise": noise,
    "friedman1-150": partial(friedman, which=1, rows=215),
    "friedman1-1000": partial(friedman, which=1, rows=1430),
    "friedman2-300": partial(friedman, which=2, rows=430),
    "friedman3-300": partial(friedman, which=3, rows=430),
    "linear-80x300": partial(linear, rows=115, columns=300),
    "linear-400x50": partial(linear, rows=570, columns=50),
    "houses-700": partial(houses, rows=1000),
    "houses-3000": partial(houses, rows=4000),
    "mixed-700": partial(common.mixed, rows=1000, columns=20, classes=False),
    "places-700": partial(common.places, rows=1000, columns=12),
    "sensors-400": partial(common.sensors, rows=600, columns=60, classes=False),
    "concentration": further.concentration,
    "block-numbers": further.block_numbers,
    "small-effects": further.small_effects,
    "events": further.events,
    "steps": further.steps,
    "products": further.products,
    "wide-numbers": unusual.wide_numbers,
    "skewed": unusual.skewed,
    "outlying-target": unusual.outlying_target,
    "waves": unusual.waves,
    "uncorrelated": unusual.uncorrelated,
    "friedman1-6000": partial(friedman, which=1, rows=7000),
    "houses-6000": partial(houses, rows=7000),
    "places-6000": partial(common.places, rows=7000, columns=12),
    "mixed-6000": partial(common.mixed, rows=7000, columns=20, classes=False),
}
SMALL = [table for table in TABLES if not table.endswith("6000")]
"""Tables on which a ranking selects; on the others, a network does, whose decoder matters."""

DECODERS = {
    "512": Mlp(hidden=(512,)),
    "512 + linear": Mlp(hidden=(512,), skip=True),
    "512, dropout": Mlp(hidden=(512,), dropout=0.2),
    "512, less dropout": Mlp(hidden=(512,), dropout=0.1),
    "512, noise": Mlp(hidden=(512,), noise=0.1),
    "512, dropout, noise": Mlp(hidden=(512,), dropout=0.2, noise=0.1),
    "512, dropout, mixup": Mlp(hidden=(512,), dropout=0.2, mixup=0.2),
    "512 + linear, dropout, noise": Mlp(hidden=(512,), dropout=0.2, noise=0.1, skip=True),
    "128, dropout, noise": Mlp(hidden=(128,), dropout=0.2, noise=0.1),
    "two of 128, dropout, noise": Mlp(hidden=(128, 128), dropout=0.2, noise=0.1),
}


def increase(start: Start) -> list[float]:
    """Return the loss on the validation rows at the end of the fine-tuning over that before."""
    before, _ = evaluate(start.model, start.problem.loss, start.params, start.problem.validation)
    history = start.tuned.history.columns()
    last = [curve(history, "validation_loss", run)[-1] for run in range(len(before))]
    return [float(each) for each in torch.tensor(last) / before.cpu()]


def if_improved(start: Start) -> Params:
    """Refit the runs that the fine-tuning improved."""
    with patch.object(refitting, "_TOLERANCE", 0.0):
        return refitting.refitted(start.problem, start.model, start.params, start.tuned).params


def longest(start: Start) -> Params:
    """Refit for as many epochs as the fine-tuning of the median run improved, at least five."""
    best = float(np.median(start.tuned.best_epoch)) + 1
    return again(start, factor=max(best, 5) / start.problem.fine_tune_epochs)


ENDINGS: dict[str, Callable[[Start], Params]] = {
    "start": lambda start: start.params,
    "fine-tuned": lambda start: start.tuned.params,
    "if improved": if_improved,
    "always": again,
    "epochs / 4": partial(again, factor=0.25),
    "best epochs": longest,
}


def fitted(X: NDArray, y: NDArray, **settings: Any) -> tuple[RegressionSelector, Start]:
    """Return a fitted selector, and where its decoders began to be fine-tuned."""
    starts: list[Start] = []

    def keep(problem: Problem, model: FixedSelection, params: Params, tuned: Fit) -> Fit:
        starts.append(Start(replace(problem, callbacks=()), model, params, tuned))
        return tuned

    with patch.object(choice, "refitted", keep):
        selector = RegressionSelector(**settings).fit(X, y)
    return selector, starts[-1]


def measure(table: str, seed: int, decoder: str, runs: int) -> list[dict[str, object]]:
    """Return a row for every ending."""
    torch.set_num_threads(1)
    X, y = TABLES[table](seed + DEVELOPMENT_SEED)
    share = min(0.3, MOST_TEST_ROWS / len(X))
    X, X_test, y, y_test = train_test_split(X, y, test_size=share, random_state=100 + seed)
    selector, start = fitted(
        *(X, y),
        n_features_to_select=min(8, X.shape[1] // 2),
        decoder=DECODERS[decoder],
        n_runs=runs,
        random_state=seed,
        device="cpu",
    )
    ratio, found = increase(start), []
    for name, ending in ENDINGS.items():
        begin = time.perf_counter()
        selector.params_ = ending(start)
        seconds = time.perf_counter() - begin
        values = [
            max(100 * r2_score(y_test, selector.with_run(run).predict(X_test)), -100.0)
            for run in range(runs)
        ]
        found.append(
            {
                "table": table,
                "seed": seed,
                "rows": len(X),
                "decoder": decoder,
                "ending": name,
                "value": f"{np.mean(values):.2f}",
                "values": " ".join(f"{value:.2f}" for value in values),
                "increase": " ".join(f"{each:.3f}" for each in ratio),
                "method": selector.method_,
                "seconds": f"{seconds:.2f}",
            }
        )
    return found


TOLERANCES = 0.05, 0.1, 0.15, 0.25
"""How much higher the loss may be at the end of the fine-tuning for a run to be refitted."""


def show(path: Path) -> None:
    """Print the mean of every decoder and ending, and its difference from the first.

    The rows also tell what refitting only some runs would give: those whose loss the fine-tuning
    raised by less than a tenth, for example.
    """
    found: dict[tuple[str, str], dict[tuple[str, str], float]] = defaultdict(dict)
    values: dict[tuple[str, str, str], dict[str, NDArray]] = defaultdict(dict)
    for row in read_rows(path):
        cell = row["table"], row["seed"]
        found[row["decoder"], row["ending"]][cell] = float(row["value"])
        own = values[row["decoder"], *cell]
        own[row["ending"]] = np.array(row["values"].split(), dtype=float)
        own["increase"] = np.array(row["increase"].split(), dtype=float)
    for (decoder, *cell), own in values.items():
        for tolerance in TOLERANCES:
            chosen = np.where(own["increase"] < 1 + tolerance, own["always"], own["fine-tuned"])
            found[decoder, f"unless raised by {tolerance}"][cell[0], cell[1]] = chosen.mean()
    first = found[next(iter(DECODERS)), "if improved"]
    print("| decoder | ending | mean | difference | better, worse | worst |")
    print("|---|---|---:|---:|---:|---|")
    for (decoder, ending), own in sorted(found.items()):
        gains: dict[str, list[float]] = defaultdict(list)
        for (table, seed), value in own.items():
            if (table, seed) in first:
                gains[table].append(value - first[table, seed])
        gain = {table: float(np.mean(each)) for table, each in gains.items()}
        each = np.array([*gain.values()])
        error = each.std(ddof=1) / np.sqrt(len(each)) if len(each) > 1 else 0.0
        worst = min(gain, key=gain.__getitem__)
        print(
            f"| {decoder} | {ending} | {np.mean([*own.values()]):.1f} "
            f"| {each.mean():+.2f} ± {error:.2f} | {(each > 0.05).sum()}, {(each < -0.05).sum()} "
            f"| {worst} {gain[worst]:+.1f} |"
        )


def cells(options: Any, done: set[tuple[str, str, str]]) -> Iterator[tuple[str, int, str]]:
    """Yield what is to be measured, all decoders of a seed before the next seed."""
    for seed in range(options.first_seed, options.seeds):
        for table in options.tables:
            for decoder in options.decoders:
                if (table, str(seed), decoder) not in done:
                    yield table, seed, decoder


def main() -> None:
    """Measure what was asked for and append the rows, or show them."""
    parser = new_parser(__doc__, "number_decoders.csv")
    parser.add_argument("--tables", nargs="+", default=SMALL, choices=TABLES)
    parser.add_argument("--decoders", nargs="+", default=[*DECODERS], choices=DECODERS)
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--first-seed", type=int, default=0)
    parser.add_argument("--runs", type=int, default=2)
    parser.add_argument("--jobs", type=int, default=1, help="number of processes")
    parser.add_argument("--minutes", type=float, default=60, help="begin nothing after this time")
    parser.add_argument("--show", action="store_true")
    options = parser.parse_args()
    path = Path(options.out)
    if options.show:
        return show(path)
    done = {(row["table"], row["seed"], row["decoder"]) for row in read_rows(path)}
    end = time.time() + 60 * options.minutes
    with ProcessPoolExecutor(options.jobs, get_context("spawn")) as pool:
        futures = [pool.submit(_before, end, *cell, options.runs) for cell in cells(options, done)]
        for future in as_completed(futures):
            found = future.result()
            write(path, found)
            for row in found:
                print(*row.values(), flush=True)
    return None


def _before(end: float, *cell: Any) -> list[dict[str, object]]:
    return measure(*cell) if time.time() < end else []


if __name__ == "__main__":
    main()
