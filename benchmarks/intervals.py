"""How often do the 95 % intervals of metrics contain the metric on the whole population?

    python benchmarks/intervals.py --draws 200   # rows in benchmarks/intervals.csv
    python benchmarks/intervals.py --write       # the table of docs/chance.md

The outputs of a model are simulated, so that its metrics on the population are known from many
rows; the intervals are computed from few. A run adds the rows that are missing.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

os.environ.setdefault("OMP_NUM_THREADS", "1")

import numpy as np
import torch

HERE = Path(__file__).resolve().parent
sys.path.append(str(HERE.parent))  # for its neighbors, wherever this is run from

from benchmarks.missing_rows import Row, measure_missing, read_rows  # noqa: E402

N_ROWS = (20, 50, 200)
N_POPULATION = 200_000
Draw = tuple[torch.Tensor, torch.Tensor, Any]
Random = np.random.Generator


def classes(random: Random, n_rows: int, shares: list[float], shift: float) -> Draw:
    """Draw normal outputs, of which that of the true class is shifted."""
    y = random.choice(len(shares), n_rows, p=shares)
    outputs = random.normal(size=(n_rows, len(shares)))
    outputs[np.arange(n_rows), y] += shift
    return torch.from_numpy(outputs), torch.from_numpy(y), None


def groups_of_classes(random: Random, n_rows: int, shift: float) -> Draw:
    """Draw groups of five rows, which share their class and half of the variance of outputs."""
    groups = np.arange(n_rows) // 5
    y = random.integers(0, 2, size=groups.max() + 1)[groups]
    shared = random.normal(size=(groups.max() + 1, 2))[groups]
    outputs = (shared + random.normal(size=(n_rows, 2))) / np.sqrt(2)
    outputs[np.arange(n_rows), y] += shift
    return torch.from_numpy(outputs), torch.from_numpy(y), groups


def numbers(random: Random, n_rows: int, r2: float, degrees: float) -> Draw:
    """Draw predictions with errors of a t distribution."""
    predicted = np.sqrt(r2) * random.normal(size=(n_rows, 1))
    errors = random.standard_t(degrees, size=(n_rows, 1)) / np.sqrt(degrees / (degrees - 2))
    true = predicted + np.sqrt(1 - r2) * errors
    return torch.from_numpy(predicted), torch.from_numpy(true), None


def numbers_with_outliers(random: Random, n_rows: int, r2: float) -> Draw:
    """Draw predictions with normal errors, a twentieth of which are eight times as large."""
    predicted = np.sqrt(r2) * random.normal(size=(n_rows, 1))
    errors = np.sqrt(1 - r2) * random.normal(size=(n_rows, 1))
    true = predicted + np.where(random.random((n_rows, 1)) < 0.05, 8, 1) * errors
    return torch.from_numpy(predicted), torch.from_numpy(true), None


def skewed_numbers(random: Random, n_rows: int) -> Draw:
    """Draw log-normal numbers, and predictions that are correct on average."""
    logarithm = random.normal(size=(n_rows, 1))
    true = np.exp(logarithm + 0.5 * random.normal(size=(n_rows, 1)))
    return torch.from_numpy(np.exp(logarithm + 0.125)), torch.from_numpy(true), None


def times(random: Random, n_rows: int, effect: float, censored: float) -> Draw:
    """Draw risks, and exponential times that are censored."""
    risk = random.normal(size=n_rows)
    time, end = random.exponential(np.exp(-effect * risk)), random.exponential(censored, n_rows)
    observed = np.column_stack([np.minimum(time, end), time <= end])
    return torch.from_numpy(risk[:, None]), torch.from_numpy(observed), None


SHARES = {
    "two classes": [0.5, 0.5],
    "a class of 10 %": [0.1, 0.9],
    "classes of 10 to 40 %": [0.1, 0.2, 0.3, 0.4],
    "ten classes": [0.1] * 10,
}
TABLES: dict[str, Callable[[Random, int], Draw]] = {
    **{
        f"{name}, shift {shift:g}": lambda random, n, shares=shares, shift=shift: classes(
            random, n, shares, shift
        )
        for name, shares in SHARES.items()
        for shift in (0.0, 1.0, 2.5, 4.0)
    },
    **{
        f"groups of five rows, shift {shift:g}": lambda random, n, shift=shift: groups_of_classes(
            random, n, shift
        )
        for shift in (0.0, 1.0, 2.5)
    },
    **{
        f"a number, R² {r2:g}, {'normal' if degrees > 99 else 'heavy-tailed'}": (
            lambda random, n, r2=r2, degrees=degrees: numbers(random, n, r2, degrees)
        )
        for r2 in (0.0, 0.5, 0.95)
        for degrees in (100, 4)
    },
    **{
        f"a number, R² {r2:g}, outliers": (
            lambda random, n, r2=r2: numbers_with_outliers(random, n, r2)
        )
        for r2 in (0.5, 0.95)
    },
    "a number, skewed": skewed_numbers,
    **{
        f"times, effect {effect:g}, censored at {censored:g}": (
            lambda random, n, effect=effect, censored=censored: times(random, n, effect, censored)
        )
        for effect in (0.0, 1.0, 4.0)
        for censored in (0.5, 5.0)
    },
}
SHOWN = ("accuracy", "balanced_accuracy", "roc_auc", "log_loss", "r2", "mean_absolute_error")
SHOWN += ("root_mean_squared_error", "concordance")
ROWS_OF_MANY_PAIRS = 5000
RARE = "rare large errors"


def task_for(name: str, targets: torch.Tensor) -> Any:
    """Return the task of a table."""
    from ipcae.rows import Rows
    from ipcae.tables import fit_scaler
    from ipcae.tasks import Classification, Regression, Survival

    if name.startswith("a number"):
        unit = torch.tensor([[-1.0], [1.0]], dtype=torch.float64)
        return Regression(1, single=True, scaler=fit_scaler(unit, "standard"))
    if name.startswith("times"):
        rows: Any = Rows(torch.zeros(len(targets), 1), targets)
        return Survival().fitted(rows, None, None)
    return Classification(np.arange(int(targets.max()) + 1))


def interval_row(case: Row) -> Row:
    """Count how often the intervals of one table contain the metrics on the population."""
    from ipcae.evaluation import bootstrap_intervals

    torch.set_num_threads(1)
    draw, n_rows = TABLES[case["table"]], case["rows"]
    n_population = ROWS_OF_MANY_PAIRS if case["table"].startswith("times") else N_POPULATION
    outputs, targets, _ = draw(np.random.default_rng(5), n_population)
    task = task_for(case["table"], targets)
    truth = task.metrics(outputs, targets)
    inside: dict[str, list[bool]] = {name: [] for name in truth}
    widths: dict[str, list[float]] = {name: [] for name in truth}
    for seed in range(case["draws"]):
        outputs, targets, groups = draw(np.random.default_rng([6, seed, n_rows]), n_rows)
        found = bootstrap_intervals(task, outputs, targets, groups=groups, seed=seed)
        for name, (low, high) in found.items():
            inside[name].append(low <= truth[name] <= high)
            widths[name].append(high - low)
    row = dict(case)
    for name in SHOWN:
        known = bool(inside.get(name))
        row[name] = round(truth[name], 4) if known else ""
        row[f"{name}_inside"] = round(float(np.mean(inside[name])), 4) if known else ""
        row[f"{name}_width"] = round(float(np.median(widths[name])), 4) if known else ""
    return row


def with_intervals(page: str) -> str:
    """Return docs/chance.md with the table of the rows that were measured."""
    start, end = "<!-- intervals -->\n", "<!-- end of intervals -->"
    before, rest = page.split(start)
    return f"{before}{start}{intervals_markdown()}\n{rest[rest.index(end) :]}"


def _family(table: str) -> str:
    """Return what sets a table apart, if anything does."""
    if table.startswith("groups"):
        return "groups of five rows"
    return RARE if table.endswith(("outliers", "skewed")) else ""


def intervals_markdown() -> str:
    """Return the mean and the lowest rate for every metric and number of rows."""
    from ipcae.tasks import METRICS

    rows = read_rows(HERE / "intervals.csv")
    heads = " | ".join(f"{n} rows" for n in N_ROWS)
    lines = [f"| metric | tables | {heads} |", "|---" * (2 + len(N_ROWS)) + "|"]
    kinds = [(name, "") for name in SHOWN]
    kinds[2:2] = [("accuracy", "groups of five rows"), ("roc_auc", "groups of five rows")]
    kinds += [(name, RARE) for name in SHOWN[4:7]]
    for name, family in kinds:
        cells, tables = [], set()
        for n_rows in N_ROWS:
            own = [
                row
                for row in rows
                if int(row["rows"]) == n_rows
                and row[name] != ""
                and _family(row["table"]) == family
            ]
            tables |= {row["table"] for row in own}
            rates = [100 * float(row[f"{name}_inside"]) for row in own]
            cells.append(f"{np.mean(rates):.0f} % (from {min(rates):.0f} %)" if rates else "–")
        label = METRICS[name].label + (f", {family}" if family else "")
        lines.append(f"| {label} | {len(tables)} | {' | '.join(cells)} |")
    return "\n".join(lines)


def main() -> None:
    """Measure what is missing, or write the page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--draws", type=int, default=0, help="tables of every kind and size")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--write", action="store_true", help="update docs/chance.md")
    arguments = parser.parse_args()
    if arguments.draws:
        cases = [
            {"table": table, "rows": n_rows, "draws": arguments.draws}
            for n_rows in N_ROWS
            for table in TABLES
        ]
        path, key = HERE / "intervals.csv", ("table", "rows")
        measure_missing(path, key, cases, interval_row, arguments.jobs)
    if arguments.write:
        page = HERE.parent / "docs" / "chance.md"
        page.write_text(with_intervals(page.read_text(encoding="utf-8")), encoding="utf-8")


if __name__ == "__main__":
    main()
