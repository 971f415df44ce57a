"""How many rows does an epoch need, and how many units a decoder, if there are few columns?

    python benchmarks/rows_per_epoch.py [--tables NAME ...] [--rows 100000] [--seeds 0] [--jobs 4]
    python benchmarks/rows_per_epoch.py --summary     # print differences from the first recipe

Generated tables with many rows and few columns (``tall_tables.py``). A row is a run of a recipe:

- ``joint`` is the network that selects on a shortlist, with its own decoder. ``trees`` is the
  score of boosted trees on its columns, and ``final`` that on the columns that are selected in the
  end, which are those of a ranking for ``replaced`` of the runs.
- ``decoder`` is a new decoder on the columns that the first recipe selects in the end.

``score`` is the accuracy of the decoder in percent or its mean squared error, ``loss`` its loss.
The first recipe is the default before epochs were limited; for numbers, its epochs are limited,
too, because they make no difference (the first rows with 200 epochs).
"""

from __future__ import annotations

import time
import warnings
from collections import defaultdict
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import replace
from multiprocessing import get_context
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import torch
from missing_rows import read_rows
from phase_epochs import problem_of
from rows import new_parser, parse, write
from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor
from tall_tables import TABLES

from ipcae import ClassificationSelector, Mlp, RegressionSelector
from ipcae.rows import Rows
from ipcae.selection import Selection
from ipcae.selectors.candidates import among_candidates, choice_of_all
from ipcae.selectors.ranking_fallback import better_selections
from ipcae.training import Choice, Problem
from ipcae.training.choices.decoding import decode
from ipcae.training.epochs.validation import evaluate
from ipcae.training.fit import untrained

NEW_ROWS, JUDGED_ROWS = 20_000, 20_000
KINDS = [
    *("interaction", "exclusive", "friedman-classes", "clusters", "rare", "weak", "sensors"),
    *("mixed", "tails", "curves", "rings", "copies"),
    *("friedman1", "friedman2", "friedman3", "products", "linear", "skewed", "number-weak"),
    *("number-sensors", "number-mixed", "number-curves"),
]


class Recipe(NamedTuple):
    """Epochs of a phase, rows per epoch (0 for all), epochs of the fine-tuning, and units."""

    stage: str
    epochs: int
    part: int
    fine_tune: int
    units: int


def recipes(classes: bool) -> list[Recipe]:
    """Return the recipes for classes or numbers; the first is the old default."""
    if classes:
        both = [
            (40, 0, 20, 512),
            (40, 50_000, 20, 256),
            (60, 20_000, 20, 256),
            (60, 20_000, 40, 256),
        ]
        more = [(40, 50_000, 20, 512), (20, 50_000, 20, 256), (20, 20_000, 40, 256)]
    else:
        both = [
            (200, 50_000, 40, 512),
            (100, 50_000, 20, 512),
            (60, 50_000, 40, 512),
            (40, 50_000, 20, 512),
        ]
        more = []
    return [
        *(Recipe("joint", *each) for each in both),
        *(Recipe("decoder", *each) for each in (*both, *more)),
    ]


def state(name: str, seed: int, n_rows: int, n_runs: int, device: str) -> Any:
    """Return the method and the problem of a default fit, new rows, and a judge of selections."""
    table = TABLES[name]
    X, y, _truth = table.make(9000 + seed, n_rows + NEW_ROWS)
    X = np.asarray(X, dtype=np.float32)
    X, new, y, answers = X[:n_rows], X[n_rows:], y[:n_rows], y[n_rows:]
    kind = ClassificationSelector if table.classes else RegressionSelector
    selector = kind(table.selected, n_runs=n_runs, random_state=seed, device=device)
    method, problem = problem_of(selector, X, y)
    known: dict[tuple[int, ...], float] = {}

    def trees(selections: list[Selection]) -> list[float]:
        every = [tuple(sorted(one.features.tolist())) for one in selections]
        model = HistGradientBoostingClassifier if table.classes else HistGradientBoostingRegressor
        for columns in set(every) - set(known):
            judge = model(max_iter=80, random_state=0)
            judge.fit(X[:JUDGED_ROWS, columns], y[:JUDGED_ROWS])
            known[columns] = 100 * float(judge.score(new[:, columns], answers))
        return [known[columns] for columns in every]

    on = problem.rows.inputs.device
    if table.classes:
        targets = torch.as_tensor(np.searchsorted(problem.task.classes, answers))
    else:
        targets = problem.task.scaled(torch.as_tensor(answers, dtype=torch.float32)[:, None])
    rows = Rows(selector.scaler_.apply(torch.as_tensor(new)), targets).to(on)
    return method, problem, rows, trees


def measured(name: str, seed: int, n_rows: int, n_runs: int, device: str) -> list[dict[str, Any]]:
    """Return the rows of all recipes on one table."""
    warnings.simplefilter("ignore")
    torch.set_num_threads(1)
    method, problem, new, trees = state(name, seed, n_rows, n_runs, device)
    candidates, best, n_errors, _ = method.rankings(problem)
    selected: list[Selection] = []
    rows: list[dict[str, Any]] = []
    for recipe in recipes(TABLES[name].classes):
        own = planned(problem, recipe)
        key = {"table": name, "seed": seed, "rows": n_rows} | recipe._asdict()
        start = time.process_time()
        clock = time.perf_counter()
        more: list[dict[str, Any]] = [{"replaced": "", "trees": "", "final": ""}] * n_runs
        if recipe.stage == "decoder":
            choice = decode(own, selected, untrained(n_runs))
        else:
            joint, among = method._joint(candidates), among_candidates(own, candidates)
            choice = joint.conclude(among, joint.train(among))
            choice = choice_of_all(choice, candidates, problem.n_features)
            better = better_selections(problem, choice.selections, best, n_errors)
            final = [better.get(run, one) for run, one in enumerate(choice.selections)]
            selected = selected or final
            more = [
                {"replaced": len(better), "trees": f"{one:.2f}", "final": f"{other:.2f}"}
                for one, other in zip(trees(choice.selections), trees(final), strict=True)
            ]
        seconds = {
            "cpu_seconds": f"{time.process_time() - start:.1f}",
            "seconds": f"{time.perf_counter() - clock:.1f}",
        }
        found = zip(scores(choice, new, problem), more, strict=True)
        rows += [key | one | rest | seconds for one, rest in found]
    return rows


def planned(problem: Problem, recipe: Recipe) -> Problem:
    """Return the problem with the epochs and the decoder of a recipe."""
    _, epochs, part, fine_tune, units = recipe
    plan = replace(
        problem.plan,
        max_epochs=epochs,
        patience=max(epochs // 10, 10),
        rows_per_epoch=part or None,
    )
    decoder = problem.decoder
    assert isinstance(decoder, Mlp)
    hidden = (units,) * len(decoder.hidden)
    own = replace(problem, plan=plan, decoder=replace(decoder, hidden=hidden))
    return replace(own, fine_tune_epochs=fine_tune)


def scores(choice: Choice, new: Rows, problem: Problem) -> list[dict[str, Any]]:
    """Return the loss and the score of every run on new rows."""
    with torch.no_grad():
        losses, metrics = evaluate(choice.model, problem.loss, choice.params, new)
    return [
        {"run": run, "loss": f"{loss:.5f}", "score": f"{metric:.3f}"}
        for run, (loss, metric) in enumerate(zip(losses.tolist(), metrics.tolist(), strict=True))
    ]


def summary(path: Path) -> None:
    """Print the mean difference of every recipe from the first one of its stage, over tables."""
    found: dict[Any, dict[Any, list[dict[str, str]]]] = defaultdict(dict)
    firsts: dict[Any, dict[Any, list[dict[str, str]]]] = defaultdict(dict)
    for row in read_rows(path):
        classes = TABLES[row["table"]].classes
        group = row["rows"], "classes" if classes else "numbers", row["stage"]
        recipe = group + tuple(row[name] for name in Recipe._fields[1:])
        rows = found[recipe].setdefault((row["table"], row["seed"]), [])
        firsts[group].setdefault((row["table"], row["seed"]), rows)
        rows.append(row)
    for recipe, tables in sorted(found.items(), key=lambda one: one[0][:3]):
        first = firsts[recipe[:3]]
        shown = []
        for name in ("score", "loss", "trees", "final")[: 4 if recipe[2] == "joint" else 2]:
            change = {
                table[0]: _mean(rows, name) - _mean(first[table], name)
                for table, rows in tables.items()
            }
            each = np.array([*change.values()])
            error = each.std() / np.sqrt(len(each))
            worst = min(change, key=change.__getitem__)
            shown.append(f"{name} {each.mean():+.3f} ± {error:.3f} ({worst} {change[worst]:+.2f})")
        seconds = np.mean([_mean(rows, "seconds") for rows in tables.values()])
        print(*(f"{part:>7}" for part in recipe), f"{len(tables):3} {seconds:6.1f} s", *shown)


def _mean(rows: list[dict[str, str]], name: str) -> float:
    return float(np.mean([float(row[name]) for row in rows]))


def main() -> None:
    """Run the command line."""
    parser = new_parser(__doc__, "rows_per_epoch.csv")
    parser.add_argument("--tables", nargs="+", choices=TABLES, default=KINDS)
    parser.add_argument("--seeds", nargs="+", type=int, default=[0])
    parser.add_argument("--rows", type=int, default=100_000)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--device", default="auto")
    parser.add_argument("--summary", action="store_true")
    options = parse(parser, ["tests/estimators/training/test_stopping.py"])
    path = Path(options.out)
    if options.summary:
        summary(path)
        return
    done = {(row["table"], row["seed"], row["rows"]) for row in read_rows(path)}
    cases = [(name, seed) for seed in options.seeds for name in options.tables]
    rest = options.rows, options.runs, options.device
    with ProcessPoolExecutor(options.jobs, mp_context=get_context("spawn")) as pool:
        tasks = [
            pool.submit(measured, name, seed, *rest)
            for name, seed in cases
            if (name, str(seed), str(options.rows)) not in done
        ]
        for task in as_completed(tasks):
            write(path, task.result())
            print(task.result()[0]["table"], flush=True)


if __name__ == "__main__":
    main()
