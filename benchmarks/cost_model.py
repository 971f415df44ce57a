"""Fit a model of the time of a training step to measured rows, and extrapolate it to larger sizes.

    python benchmarks/cost_model.py            # print the tables of docs/scale.md
    python benchmarks/cost_model.py --picture  # and draw docs/images/scale.png

Microseconds of a step on one GPU: a constant, and four kinds of work in proportion to their size.

    t = c + a · R n K D + b · R B K D + p · R W + x · B D

R runs, B rows of a batch, n draws of noise per batch, D columns, K nodes, W numbers of a model,
most of them P · D. The rows are those of ``train_gpu.py``. The largest sizes of every series are
held out: the model must extrapolate to them.
"""

from __future__ import annotations

import argparse
import csv
import math
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import pairwise
from pathlib import Path

import numpy as np
import torch
from scipy.optimize import nnls

from ipcae import Concrete, Full, Mlp
from ipcae.estimators.one_fit.memory import Sizes, estimate
from ipcae.ops.concrete_select.kept_weights import kept_bytes
from ipcae.selectors import Shape

ROOT = Path(__file__).parent.parent
MEASURED = ROOT / "benchmarks" / "train_gpu.csv"
SERIES = ("runs", "features", "nodes", "rows")
N_OUTPUTS, HIDDEN = 10, Mlp().hidden
GPU_BYTES = 141e9  # of an H200
_LINEAR = 20_000  # columns up to which the memory is estimated, and from where it is extrapolated
TERMS = {
    "a step": "1",
    "noise": "R · n · K · D",
    "selection": "R · B · K · D",
    "update": "R · W",
    "rows": "B · D",
}


@dataclass(frozen=True)
class Size:
    """The sizes of a step; ``draws`` is a number, or None for one draw per row."""

    runs: int = 1
    rows: int = 128
    features: int = 784
    nodes: int = 50
    embedding: int = 64
    draws: int | None = None

    @property
    def parameters(self) -> int:
        """The numbers of one model, W."""
        widths = [self.nodes, *HIDDEN, N_OUTPUTS]
        decoder = sum(a * b + b for a, b in pairwise(widths))
        selection = self.nodes * self.embedding + (self.embedding + 1) * self.features
        return selection + decoder + 2 * sum(HIDDEN)

    @property
    def terms(self) -> list[float]:
        """The amounts of work, in millions."""
        draws = self.rows if self.draws is None else min(self.draws, self.rows)
        nodes = self.nodes * self.features
        return [
            1.0,
            self.runs * draws * nodes / 1e6,
            self.runs * self.rows * nodes / 1e6,
            self.runs * self.parameters / 1e6,
            self.rows * self.features / 1e6,
        ]


@dataclass(frozen=True)
class Measurement:
    """A measured step, in microseconds, or the peak memory of a training, in megabytes."""

    series: str
    size: Size
    value: float


def measurements(unit: str = "us/step") -> list[Measurement]:
    """Return the newest measurement of every size."""
    newest = {}
    with MEASURED.open() as file:
        for row in csv.DictReader(file):
            series = row["question"].split()[0]
            if row["unit"] == unit and row["implementation"] == "ipcae" and series in SERIES:
                draws = None if row["draws"] == "row" else int(row["draws"])
                numbers = [int(row[n]) for n in ("runs", "rows", "features", "nodes", "embedding")]
                size = Size(*numbers, draws)
                newest[series, size] = Measurement(series, size, float(row["median"]))
    return list(newest.values())


def is_held_out(row: Measurement, rows: list[Measurement]) -> bool:
    """Return whether a row has the largest size of its series, or a large number of columns."""
    own = [other.size for other in rows if other.series == row.series]
    largest = max(getattr(size, row.series) for size in own)
    reached = getattr(row.size, row.series)
    return reached == largest or (row.size.draws is None and reached >= 200_000)


@dataclass(frozen=True)
class CostModel:
    """Microseconds of a step, as a weighted sum of amounts of work."""

    weights: np.ndarray

    @classmethod
    def fit(cls, rows: list[Measurement]) -> CostModel:
        """Fit the weights, none of them negative, to the relative errors."""
        work = np.array([row.size.terms for row in rows])
        times = np.array([row.value for row in rows])
        return cls(nnls(work / times[:, None], np.ones(len(rows)))[0])

    def microseconds(self, size: Size) -> float:
        """Return the time of a step."""
        return float(np.dot(size.terms, self.weights))

    def errors(self, rows: list[Measurement]) -> np.ndarray:
        """Return the relative errors."""
        return np.array([self.microseconds(row.size) / row.value - 1 for row in rows])


def split() -> tuple[list[Measurement], list[Measurement]]:
    """Return the rows to fit and the rows that are held out."""
    rows = measurements()
    held = [row for row in rows if is_held_out(row, rows)]
    return [row for row in rows if row not in held], held


@lru_cache
def memory_bytes(size: Size, n_batches: int = 1) -> float:
    """Return the estimated memory of a training with this many batches of rows on the device.

    With one batch, it is a constant plus a term in proportion to the columns.

    Without the weights that are kept for the backward pass, which larger tables do not have.
    """
    if size.features > _LINEAR and n_batches == 1:
        here, half = (memory_bytes(replace(size, features=n)) for n in (_LINEAR, _LINEAR // 2))
        return here + 2 * (here - half) * (size.features / _LINEAR - 1)
    shape = Shape(Mlp(), size.features, size.nodes, N_OUTPUTS)
    method = Concrete(Full(size.embedding), noise_draws=size.draws or "row")
    sizes = Sizes(shape, n_batches * size.rows, size.rows, size.runs, size.rows, itemsize=4)
    total = estimate(method, sizes, torch.device("cuda")).total
    kept = kept_bytes(size.runs, size.rows, size.nodes, size.features)
    return total - kept if size.draws is None else total


def weight_table(model: CostModel) -> list[str]:
    """Return the weights in picoseconds per unit of work."""
    lines = ["| work | amount | time |", "|---|---|---:|"]
    for (name, amount), weight in zip(TERMS.items(), model.weights, strict=True):
        unit = f"{weight:.0f} µs" if amount == "1" else f"{weight:.2f} ps"
        lines.append(f"| {name} | {amount} | {unit} |")
    return lines


def held_out_table(model: CostModel, held: list[Measurement]) -> list[str]:
    """Return the held-out rows beside the predictions."""
    lines = [
        "| R | B | D | K | P | draws | measured, µs | model, µs | error |",
        "|---:|---:|---:|---:|---:|---|---:|---:|---:|",
    ]
    for row in held:
        size = row.size
        sizes = (size.runs, size.rows, size.features, size.nodes, size.embedding)
        predicted = model.microseconds(size)
        lines.append(
            f"| {' | '.join(f'{number:,}' for number in sizes)} | {size.draws or 'row'} | "
            f"{row.value:,.0f} | {predicted:,.0f} | {predicted / row.value - 1:+.0%} |"
        )
    return lines


def devices_for(size: Size) -> int:
    """Return the number of GPUs on which the columns fit, with a tenth to spare."""
    return math.ceil(memory_bytes(size) / (0.9 * GPU_BYTES))


def column_table(model: CostModel) -> list[str]:
    """Return time and memory for many columns."""
    lines = [
        "| columns | GPUs | GB per GPU | ms per step, draw per row | ms per step, 8 draws | "
        "10,000 steps, 8 draws |",
        "|---:|---:|---:|---:|---:|---:|",
    ]
    for n_columns in (10**5, 10**6, 10**7, 10**8):
        whole = Size(features=n_columns)
        n_devices = devices_for(whole)
        own = replace(whole, features=n_columns // n_devices)
        row, eight = (model.microseconds(replace(own, draws=d)) / 1e3 for d in (None, 8))
        lines.append(
            f"| {n_columns:,} | {n_devices} | {memory_bytes(own) / 1e9:,.1f} | {row:,.1f} | "
            f"{eight:,.1f} | {duration(10_000 * eight / 1e3)} |"
        )
    return lines


def row_table(model: CostModel) -> list[str]:
    """Return the time of one pass over a billion rows."""
    lines = [
        "| columns | table | rows per batch | µs per step | one pass | read at |",
        "|---:|---:|---:|---:|---:|---:|",
    ]
    n_rows = 10**9
    for n_columns in (60, 784, 20_000):
        for batch in (128, 2048):
            size = Size(rows=batch, features=n_columns, embedding=min(64, n_columns), draws=8)
            step = model.microseconds(size)
            seconds = n_rows / batch * step / 1e6
            n_bytes = 4 * n_rows * n_columns
            lines.append(
                f"| {n_columns:,} | {n_bytes / 1e12:,.2f} TB | {batch:,} | {step:,.0f} | "
                f"{duration(seconds)} | {n_bytes / seconds / 1e9:,.1f} GB/s |"
            )
    return lines


def duration(seconds: float) -> str:
    """Return a duration in words.

    >>> duration(90), duration(7200)
    ('1.5 min', '2.0 h')
    """
    if seconds < 60:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.1f} min" if seconds < 3600 else f"{seconds / 3600:.1f} h"


def sentences(model: CostModel, fitted: list[Measurement], held: list[Measurement]) -> list[str]:
    """Return the figures of the text."""
    known, unseen = np.abs(model.errors(fitted)), np.abs(model.errors(held))
    # Measured trainings with fewer columns have 16 batches.
    peaks = [row for row in measurements("MB") if row.size.features <= 50_176]
    ratios = [memory_bytes(row.size, 16) / 1e6 / row.value for row in peaks]
    return [
        f"{len(fitted)} rows were fitted, with a mean error of {known.mean():.1%} and a largest of "
        f"{known.max():.0%}. {len(held)} rows were held out",
        f"there the mean error is {unseen.mean():.1%} and the largest {unseen.max():.0%}",
        f"between {min(ratios):.2f} and {max(ratios):.2f} times the measured peaks",
    ]


def main() -> None:
    """Print the tables, and draw the picture."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--picture", action="store_true")
    options = parser.parse_args()
    fitted, held = split()
    model = CostModel.fit(fitted)
    tables = weight_table(model), held_out_table(model, held), column_table(model), row_table(model)
    print(*sentences(model, fitted, held), *("\n".join(table) for table in tables), sep="\n\n")
    if options.picture:
        from plot_scale import draw

        draw(model, fitted, held, ROOT / "docs" / "images" / "scale.png")


if __name__ == "__main__":
    main()
