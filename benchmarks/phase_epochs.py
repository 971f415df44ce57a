"""How many epochs does every phase of a fit need, and with which decoder?

    python benchmarks/phase_epochs.py [--data FOLDER] [--tables NAME ...] [--seeds 0 1] [--jobs 8]
    python benchmarks/phase_epochs.py --medium --out benchmarks/phase_epochs_medium.csv
    python benchmarks/phase_epochs.py --large --seeds 0 --out benchmarks/phase_epochs_large.csv
    python benchmarks/phase_epochs.py --summary     # print differences from the first recipe

Development rows only: generated tables, digits, and rows of the training parts of the data sets, of
which some are left out to score (``phase_tables.py``). A row is a run of a recipe:

- ``joint`` is the network that selects on a shortlist, with its own decoder. ``forest`` is the
  accuracy of extremely randomized trees on its columns, and ``final`` that on the columns that are
  selected in the end, which are those of a ranking for ``replaced`` of the runs.
- ``decoder`` is a new decoder on the columns that the first recipe selects in the end.

``score`` is the accuracy of the decoder. The first recipe is the default of smaller tables.
"""

from __future__ import annotations

import time
import warnings
from collections import defaultdict
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor, as_completed
from contextlib import suppress
from dataclasses import replace
from multiprocessing import get_context
from pathlib import Path
from typing import Any, NamedTuple
from unittest.mock import patch

import numpy as np
import torch
from missing_rows import read_rows
from numpy.typing import NDArray
from phase_tables import CASES, LARGE, MEDIUM, Case
from rows import new_parser, parse, write
from sklearn.ensemble import ExtraTreesClassifier
from sklearn.model_selection import train_test_split

from ipcae import ClassificationSelector, Mlp
from ipcae.estimators.one_fit import fitting
from ipcae.rows import Rows
from ipcae.selection import Selection
from ipcae.selectors.candidates import among_candidates, choice_of_all
from ipcae.selectors.ranking_fallback import better_selections
from ipcae.training import Choice, Problem
from ipcae.training.choices.decoding import decode
from ipcae.training.epochs.validation import outputs_of
from ipcae.training.fit import untrained
from ipcae.training.plan import auto_epochs

MOST_LEFT_OUT = 6000


USUAL = Mlp(hidden=(512, 512), dropout=0.3, noise=0.2, mixup=0.2)
DECODERS = {
    "512": USUAL,
    "256": replace(USUAL, hidden=(256, 256)),
    "512f": Mlp(hidden=(512, 512), dropout=0.1, noise=0.2),
    "256f": Mlp(hidden=(256, 256), dropout=0.1, noise=0.2),
    "128": replace(USUAL, hidden=(128, 128)),
}
"""By the units of a hidden layer; with less dropout and without mixup if f."""


class Recipe(NamedTuple):
    """The largest number of epochs that a phase may take, those of the fine-tuning, a decoder."""

    stage: str
    epochs: int
    fine_tune: int
    decoder: str


FIRST = Recipe("joint", 200, 40, "512")
RECIPES = [
    FIRST,
    Recipe("decoder", 200, 40, "512"),
    *(
        Recipe(stage, *rest)
        for stage in ("joint", "decoder")
        for rest in ((60, 20, "256f"), (60, 40, "256f"), (100, 20, "256f"), (60, 20, "512f"))
    ),
]
OTHERS = [
    *(Recipe("joint", epochs, 40, "512") for epochs in (100, 50, 25)),
    *(Recipe("joint", 50, 40, name) for name in ("256", "512f", "256f")),
    *(
        Recipe("decoder", epochs, fine_tune, decoder)
        for decoder in ("512", "256", "512f", "256f")
        for epochs, fine_tune in ((200, 40), (20, 40), (1, 60), (1, 100))
    ),
]
"""What was tried before, on other seeds."""

FOR_MEDIUM = [FIRST, *(Recipe("joint", 200, 40, units) for units in ("256", "128"))]
"""What was tried on tables with 350 to 2,500 rows."""


def for_large(name: str) -> list[Recipe]:
    """Return what was tried on a table with 20,000 rows or more: as many steps as before, or fewer.

    >>> [recipe.epochs for recipe in for_large("weak-22000")]
    [90, 90, 60, 60, 60, 60]
    """
    epochs = auto_epochs(LARGE[name].rows)
    fewer = min(epochs, 60)
    return [
        *(Recipe(stage, epochs, 20, "512f") for stage in ("joint", "decoder")),
        *(Recipe(stage, fewer, n, "256f") for stage in ("joint", "decoder") for n in (20, 40)),
    ]


class Asked(Exception):
    """The problem of a fit is stated."""


class Stated(NamedTuple):
    """A method, a problem, rows that were left out, and the forests on selected columns."""

    method: Any
    problem: Problem
    left_out: Rows
    forests: Callable[[list[Selection]], list[float]]


def problem_of(selector: Any, X: NDArray, y: NDArray) -> tuple[Any, Problem]:
    """Return the method and the problem that a selector would work on."""
    found: list[Any] = []

    def stop(*given: Any) -> None:
        found.extend(given)
        raise Asked

    with patch.object(fitting, "choose_within_constraints", stop), suppress(Asked):
        selector.fit(X, y)
    method, problem = found
    return method, problem


def state(case: Case, seed: int, folder: Path, n_runs: int, device: str) -> Stated:
    """Return the problem of a default fit."""
    X, y = case.make(seed, folder)
    X, new, y, answers = train_test_split(
        np.asarray(X, dtype=np.float32), y, train_size=case.rows, stratify=y, random_state=seed
    )
    new, answers = new[:MOST_LEFT_OUT], answers[:MOST_LEFT_OUT]
    selector = ClassificationSelector(
        case.selected, n_runs=n_runs, random_state=seed, device=device
    )
    method, problem = problem_of(selector, X, y)
    known: dict[tuple[int, ...], float] = {}

    def forests(selections: list[Selection]) -> list[float]:
        every = [tuple(sorted(one.features.tolist())) for one in selections]
        for columns in set(every) - set(known):
            trees = ExtraTreesClassifier(100, random_state=0).fit(X[:, columns], y)
            known[columns] = float(trees.score(new[:, columns], answers))
        return [known[columns] for columns in every]

    on = problem.rows.inputs.device
    targets = torch.as_tensor(np.searchsorted(problem.task.classes, answers)).to(on)
    return Stated(
        method, problem, Rows(selector.scaler_.apply(torch.as_tensor(new)).to(on), targets), forests
    )


def planned(problem: Problem, recipe: Recipe) -> Problem:
    """Return the problem with the epochs and the decoder of a recipe."""
    _, epochs, fine_tune, decoder = recipe
    plan = replace(problem.plan, max_epochs=epochs, patience=max(epochs // 10, 10))
    return replace(problem, plan=plan, fine_tune_epochs=fine_tune, decoder=DECODERS[decoder])


def row_of_each(stated: Stated, choice: Choice) -> list[dict[str, Any]]:
    """Return the scores of all runs."""
    with torch.no_grad():
        answers = outputs_of(choice.model, choice.params, stated.left_out).argmax(-1)
    right = (answers == stated.left_out.targets).double().mean(-1).tolist()
    forests = stated.forests(choice.selections)
    return [
        {"run": run, "score": f"{score:.4f}", "forest": f"{forest:.4f}"}
        for run, (score, forest) in enumerate(zip(right, forests, strict=True))
    ]


def measured(
    name: str, seed: int, folder: Path, n_runs: int, device: str, recipes: list[Recipe]
) -> list[dict[str, Any]]:
    """Return the rows of all recipes on one table."""
    warnings.simplefilter("ignore")
    torch.set_num_threads(1)
    stated = state((CASES | MEDIUM | LARGE)[name], seed, folder, n_runs, device)
    method, problem, _, forests = stated
    candidates, best, n_errors, _ = method.rankings(problem)
    selected: list[Selection] = []
    rows: list[dict[str, Any]] = []
    for recipe in recipes:
        own = planned(problem, recipe)
        key = {"table": name, "seed": seed, "runs": n_runs} | recipe._asdict()
        start = time.process_time()
        more = [{"replaced": "", "final": "", "columns": ""}] * n_runs
        if recipe.stage == "decoder":
            choice = decode(own, selected, untrained(n_runs))
        else:
            joint, among = method._joint(candidates), among_candidates(own, candidates)
            choice = joint.conclude(among, joint.train(among))
            choice = choice_of_all(choice, candidates, problem.n_features)
            better = better_selections(problem, choice.selections, best, n_errors)
            final = [better.get(run, one) for run, one in enumerate(choice.selections)]
            selected = selected or final
            columns = [" ".join(map(str, sorted(one.features.tolist()))) for one in final]
            more = [
                {"replaced": len(better), "final": f"{forest:.4f}", "columns": each}
                for forest, each in zip(forests(final), columns, strict=True)
            ]
        seconds = {"cpu_seconds": f"{time.process_time() - start:.1f}" if device == "cpu" else ""}
        found = zip(row_of_each(stated, choice), more, strict=True)
        rows += [key | one | rest | seconds for one, rest in found]
    return rows


def summary(path: Path) -> None:
    """Print the mean difference of every recipe from the first one of its stage, over tables.

    Tables with equally many runs are taken together.
    """
    found: dict[Any, dict[tuple[str, str], list[dict[str, str]]]] = defaultdict(dict)
    firsts: dict[Any, dict[tuple[str, str], list[dict[str, str]]]] = defaultdict(dict)
    for row in read_rows(path):
        recipe = tuple(row[name] for name in ("runs", *Recipe._fields))
        rows = found[recipe].setdefault((row["table"], row["seed"]), [])
        firsts[recipe[:2]].setdefault((row["table"], row["seed"]), rows)
        rows.append(row)
    for recipe, tables in found.items():
        first = firsts[recipe[:2]]
        shown = []
        for name in ("score", "forest", "final")[: 3 if recipe[1] == "joint" else 1]:
            change = [
                100 * (_mean(rows, name) - _mean(first[table], name))
                for table, rows in tables.items()
                if table in first
            ]
            error = np.std(change) / np.sqrt(len(change))
            shown.append(f"{name} {np.mean(change):+.2f} ± {error:.2f}")
        print(*(f"{part:>8}" for part in recipe), f"{len(tables):4}", *shown)


def _mean(rows: list[dict[str, str]], name: str) -> float:
    return float(np.mean([float(row[name]) for row in rows]))


def main() -> None:
    """Run the command line."""
    parser = new_parser(__doc__, "phase_epochs.csv")
    parser.add_argument("--data", type=Path, default=Path())
    parser.add_argument("--tables", nargs="+", choices=[*CASES, *MEDIUM, *LARGE])
    parser.add_argument("--seeds", nargs="+", type=int, default=[2, 3])
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--device", default="auto")
    parser.add_argument("--others", action="store_true", help="the recipes that were tried before")
    parser.add_argument("--medium", action="store_true", help="tables and recipes of fewer rows")
    parser.add_argument("--large", action="store_true", help="those of 20,000 rows or more")
    parser.add_argument("--summary", action="store_true")
    options = parse(parser, ["tests/estimators/training/test_stopping.py"])
    path, recipes = Path(options.out), [FIRST, *OTHERS] if options.others else RECIPES
    recipes = FOR_MEDIUM if options.medium else recipes
    if options.summary:
        summary(path)
        return
    done = {(row["table"], row["seed"]) for row in read_rows(path)}
    tables = options.tables or list(MEDIUM if options.medium else LARGE if options.large else CASES)
    cases = [(name, seed) for seed in options.seeds for name in tables]
    rest = options.data, options.runs, options.device
    with ProcessPoolExecutor(options.jobs, mp_context=get_context("spawn")) as pool:
        tasks = [
            pool.submit(measured, name, seed, *rest, for_large(name) if options.large else recipes)
            for name, seed in cases
            if (name, str(seed)) not in done
        ]
        for task in as_completed(tasks):
            write(path, task.result())


if __name__ == "__main__":
    main()
