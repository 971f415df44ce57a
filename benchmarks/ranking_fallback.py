"""When should a ranking's columns replace those of the network, on tables with 300 rows or more?

    python benchmarks/ranking_fallback.py --measure [--tables answers gaps] [--seeds 2] [--jobs 2]
    python benchmarks/ranking_fallback.py            # compare the rules
    python benchmarks/ranking_fallback.py --out benchmarks/ranking_fallback_wide.csv

``ranking_fallback.csv`` has one row per development table (``medium_tables.py``), seed and K: the
mean accuracy of four classifiers on new rows for the columns of IP-CAE among a shortlist and of
several rankings, and by how much the held-out errors of each ranking are smaller than those of
IP-CAE (``selectors/classical/models/held_out.py``), with standard errors. ``gain`` is by how much
those of all candidates on the shortlist are smaller than those of the best of four rankings, with
its standard error ``gain error``. From these, the accuracy of any rule that chooses between them
follows. Seeds from 300 on, and the kinds in ``FRESH``, were measured after the rule with one
standard error had been chosen. ``ranking_fallback_wide.csv`` has the same for the
real tables of ``wide_tables.py`` with 300 rows or more, measured with ``--folder``.
"""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor, as_completed
from functools import partial
from itertools import product
from multiprocessing import get_context
from pathlib import Path
from unittest.mock import patch

import medium_tables
import numpy as np
import torch
import wide_tables
from comparison import judges
from comparison.methods import fitted
from missing_rows import read_rows
from numpy.typing import NDArray
from real_tables_summary import WIDE_LIST
from rows import new_parser, write

from ipcae import ClassificationSelector
from ipcae.selectors import shortlist
from ipcae.selectors.classical.base import Examples
from ipcae.selectors.classical.models.held_out import errors_of_columns

Row = dict[str, str]
Rule = Callable[[Row], str]
FRESH_SEED = 300
KEY = "table", "seed", "selected"
JOINT = "ip-cae among a shortlist"
COMPARED = "adaptive", "elimination", "group-lasso", "l1-logistic", "random-forest", "anova"
HALVES = {each["table"]: each["half"] for each in read_rows(WIDE_LIST)}
RIVALS = "group-lasso", "l1-logistic", "random-forest", "anova"


def chosen(
    X: NDArray, y: NDArray, k: int, seed: int
) -> tuple[dict[str, NDArray], Examples, NDArray]:
    """Return the columns of IP-CAE and of the rankings, the rows, and the shortlist."""
    found: dict[str, NDArray] = {}
    seen, listed = [], []

    def train_always(problem, candidates, ranked):
        listed.append(candidates)
        return {}

    def keep(problem, selections, ranked, n_errors):
        found.update({JOINT: selections[0].features, "adaptive": ranked[0][0].features})
        seen.append(Examples.of(problem))
        return {}

    with (
        patch.object(shortlist, "better_selections", keep),
        patch.object(shortlist, "sufficient_selections", train_always),
    ):
        ClassificationSelector(
            k, method="shortlist", fine_tune=False, random_state=seed, device="cpu"
        ).fit(X, y)
    for name in COMPARED[1:]:
        found[name] = fitted(name, "classification", X, y, k, seed).get_support(indices=True)
    return {name: np.sort(columns) for name, columns in found.items()}, seen[0], listed[0]


def table(name: str, seed: int, folder: Path | None) -> tuple[NDArray, ...]:
    """Return a generated table, or a real one of a folder, and new rows of it."""
    if folder is None:
        return medium_tables.table(name, seed)
    wide_tables.FOLDER = folder
    split = wide_tables.split_of(name, seed)
    return split.numbers[0], split.targets[0], split.numbers[1], split.targets[1]


def measured(folder: Path | None, name: str, seed: int, k: int) -> Row:
    """Return the row of a table and a number of features."""
    torch.set_num_threads(1)
    began = time.process_time()
    X, y, X_new, y_new = table(name, seed, folder)
    found, examples, candidates = chosen(X, y, k, seed)
    row = dict(zip(KEY, map(str, (name, seed, k)), strict=True)) | {"rows": str(len(X))}
    for each, columns in found.items():
        values = judges.scores(judges.classifiers(seed), X[:, columns], y, X_new[:, columns], y_new)
        row[each] = f"{np.mean(list(values.values())):.2f}"
    sets = [candidates, *(found[each] for each in (JOINT, *COMPARED))]
    of_all, own, *others = errors_of_columns(examples, sets)
    gain = min(others[:4], key=np.mean) - of_all
    row |= {"gain": f"{gain.mean():.5f}", "gain error": f"{gain.std() / np.sqrt(len(gain)):.5f}"}
    for each, errors in zip(COMPARED, others, strict=True):
        better = own - errors
        row[f"{each} better"] = f"{better.mean():.5f}"
        row[f"{each} error"] = f"{better.std() / np.sqrt(len(better)):.5f}"
    return row | {"seconds": f"{time.process_time() - began:.1f}"}


def best_of(n_errors: float, others: tuple[str, ...]) -> Rule:
    """Return the rule that takes another ranking if it is better by so many standard errors."""

    def choose(row: Row) -> str:
        margins = {JOINT: 0.0} | {
            name: float(row[f"{name} better"]) - n_errors * float(row[f"{name} error"])
            for name in others
        }
        return max(margins, key=margins.__getitem__)

    return choose


def if_needed(n_errors: float) -> Rule:
    """Return the rule that trains no network unless the shortlist is better than the rankings."""

    def choose(row: Row) -> str:
        if float(row["gain"]) > n_errors * float(row["gain error"]):
            return best_of(0, COMPARED[:4])(row)
        return max(COMPARED[:4], key=lambda name: float(row[f"{name} better"]))

    return choose


BEFORE = best_of(2, COMPARED[:1])
RULES: dict[str, Rule] = {
    "the ranking, two standard errors (before)": BEFORE,
    "four rankings, one standard error": best_of(1, COMPARED[:4]),
    "the ranking, one": best_of(1, COMPARED[:1]),
    "four rankings, none": best_of(0, COMPARED[:4]),
    "… a network only if the shortlist is better by one (default)": if_needed(1),
    "… by none": if_needed(0),
    "… by two": if_needed(2),
    "… by three": if_needed(3),
    "… never": if_needed(np.inf),
    "four rankings, half": best_of(0.5, COMPARED[:4]),
    "four rankings, two": best_of(2, COMPARED[:4]),
    "also a forest, one": best_of(1, COMPARED[:5]),
    **{f"always {name}": (lambda row, name=name: name) for name in (JOINT, *COMPARED)},
}


def part_of(row: Row) -> str:
    """Return which rows a row belongs to: those that a rule was chosen on, or others."""
    if row["table"] in HALVES:
        return HALVES[row["table"]]
    return "fresh" if int(row["seed"]) >= FRESH_SEED else "development"


def summary(rows: list[Row], rule: Rule) -> str:
    """Return a rule's mean, its difference from before, and its largest gaps to the best rival."""
    values = defaultdict(list)
    for row in rows:
        accuracy = {name: float(row[name]) for name in (JOINT, *COMPARED)}
        kind = row["table"], row["selected"]
        own, before = accuracy[rule(row)], accuracy[BEFORE(row)]
        values[kind].append([own, before, *(accuracy[name] for name in RIVALS)])
    means = np.array([np.mean(each, 0) for each in values.values()])
    gain, gap = means[:, 0] - means[:, 1], means[:, 0] - means[:, 2:].max(1)
    error = gain.std(ddof=1) / np.sqrt(len(gain))
    parts = (
        f"{means[:, 0].mean():.1f}",
        f"{gain.mean():+.2f} ± {error:.2f}",
        f"{(gain > 0.5).sum()}, {(gain < -0.5).sum()}",
        f"{gain.min():+.1f}",
        f"{gap.mean():+.1f}",
        f"{gap.min():+.1f}",
        f"{(gap < -1.5).sum()}",
    )
    return " | ".join(parts)


def show(rows: list[Row]) -> None:
    """Print a table of the rules for the rows they were chosen on, and for the others."""
    for title in ("development", "fresh", "confirmation"):
        some = [row for row in rows if part_of(row) == title]
        if not some:
            continue
        kinds = len({(row["table"], row["selected"]) for row in some})
        print(f"\n| {title}: {len(some)} tables, {kinds} kinds and K", end=" | ")
        print("mean | gain | better, worse | worst | to the best rival | worst | below −1.5 |")
        print("|---|" + "---:|" * 7)
        for name, rule in RULES.items():
            print(f"| {name} | {summary(some, rule)} |")


def main() -> None:
    """Measure the rows that are not there yet, or compare the rules."""
    parser = new_parser(__doc__, "ranking_fallback.csv")
    parser.add_argument("--measure", action="store_true")
    parser.add_argument("--tables", nargs="+", default=[*medium_tables.NAMES])
    parser.add_argument("--folder", type=Path, help="the files of the tables, if they are real")
    parser.add_argument("--first-seed", type=int, default=FRESH_SEED)
    parser.add_argument("--seeds", type=int, default=2, help="number of seeds")
    parser.add_argument("--jobs", type=int, default=1)
    options = parser.parse_args()
    out = Path(options.out)
    if options.measure:
        done = {tuple(row[name] for name in KEY) for row in read_rows(out)}
        seeds = range(options.first_seed, options.first_seed + options.seeds)
        cases = [
            (name, seed, k)
            for seed, name in product(seeds, options.tables)
            for k in ((5, 25) if options.folder else medium_tables.sizes(name))
            if (name, str(seed), str(k)) not in done
        ]
        with ProcessPoolExecutor(options.jobs, get_context("spawn")) as pool:
            futures = [pool.submit(partial(measured, options.folder, *case)) for case in cases]
            for future in as_completed(futures):
                row = future.result()
                write(out, [row])
                print(*(row[name] for name in KEY), row[JOINT], row["adaptive"], flush=True)
    show(read_rows(out))


if __name__ == "__main__":
    main()
