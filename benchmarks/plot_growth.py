"""Plot time and memory of a training step against the sizes, from the rows of ``train_gpu.py``.

python benchmarks/plot_growth.py [--out docs/images/growth.png]
"""

from __future__ import annotations

import argparse
import csv
import sys
from pathlib import Path

import numpy as np
import torch
from matplotlib.axes import Axes
from matplotlib.ticker import LogLocator
from train_gpu import n_steps

from ipcae import Concrete, Full, Mlp
from ipcae.estimators.one_fit.memory import Sizes, estimate
from ipcae.ops.concrete_select.kept_weights import kept_bytes
from ipcae.selectors import Shape
from paper.drawing import COLORS, INK, label, legend, panels

ROOT = Path(__file__).parent.parent
QUESTIONS = {
    "runs": "runs at once, R",
    "features": "features, D (P = 64)",
    "nodes": "selected features, K",
    "rows": "rows per batch, B",
}
SIZES = "features", "nodes", "rows", "embedding"
LINES = {
    "row": ("one draw of noise per row", COLORS["ip-cae"], "-", "o"),
    "8": ("8 draws of noise per batch", COLORS["diagonal"], "-.", "^"),
    "1": ("1 draw of noise per batch", COLORS["cae"], "--", "s"),
}


def read(path: Path) -> list[dict[str, str]]:
    """Return the latest row of every measurement."""
    with path.open() as file:
        rows = list(csv.DictReader(file))
    keys = "question", "implementation", "runs", "rows", "features", "nodes", "embedding"
    keys = (*keys, "draws", "precision")
    return list({tuple(row[key] for key in keys): row for row in rows}.values())


def line(rows: list, question: str, implementation: str, draws: str) -> tuple[np.ndarray, ...]:
    """Return sizes and medians of a line, in order of size."""
    size = question.split()[0]
    pairs = sorted(
        (int(row[size]), float(row["median"]))
        for row in rows
        if _is(row, question, implementation, draws)
    )
    return tuple(np.array(pairs).reshape(-1, 2).T)


def _is(row: dict[str, str], *what: str) -> bool:
    return (row["question"], row["implementation"], row["draws"]) == what


def _samples(row: dict[str, str]) -> float:
    """Return the megabytes that storing all samples would take."""
    sizes = [int(row[name]) for name in ("runs", "rows", "nodes", "features")]
    return 4 * float(np.prod(sizes, dtype=float)) / 1e6


def _estimate(row: dict[str, str]) -> float:
    """Return the megabytes that ``estimate_memory`` estimates for a measured training.

    Without the weights that are kept for the backward pass, as they were measured.
    """
    features, nodes, batch, embedding = (int(row[name]) for name in SIZES)
    method = Concrete(Full(embedding), noise_draws="row")
    shape = Shape(Mlp(), features, nodes, 10)
    n_train = n_steps(features) * batch
    runs = int(row["runs"])
    sizes = Sizes(shape, n_train, batch, runs, batch, itemsize=4)
    total = estimate(method, sizes, torch.device("cuda")).total
    return (total - kept_bytes(runs, batch, nodes, features)) / 1e6


def draw(time: Axes, memory: Axes, rows: list, size: str) -> None:
    """Draw the time of a step above the memory of the training."""
    for draws, (name, color, style, marker) in LINES.items():
        x, y = line(rows, size, "ipcae", draws)
        if len(x) > 1:
            time.plot(x, y, style, marker=marker, color=color, markersize=4, label=name)
    x, y = line(rows, size + " memory", "ipcae", "row")
    memory.plot(x, y, "-", marker="o", color=COLORS["ip-cae"], markersize=4, label="measured")
    measured = [row for row in rows if _is(row, size + " memory", "ipcae", "row")]
    measured.sort(key=lambda row: int(row[size]))
    estimates, samples = [*map(_estimate, measured)], [*map(_samples, measured)]
    memory.plot(x, estimates, ":", color=INK, label="estimate_memory")
    memory.plot(x, samples, "--", color=COLORS["cae"], label="B × K × D numbers per run")
    for axes in (time, memory):
        axes.set_xscale("log")
        axes.set_yscale("log")
        axes.set_xticks(x, [_short(value) for value in x])
        axes.yaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
        axes.yaxis.set_major_formatter(lambda value, _: f"{value:,.0f}")
        axes.minorticks_off()
        _slope(axes, x)
    label(time, title="", y="time per step, µs" if size == "runs" else "")
    label(memory, x=QUESTIONS[size], y="peak memory, MB" if size == "runs" else "")


def _short(value: float) -> str:
    return f"{value:.0f}" if value < 10_000 else f"{value / 1e3:.0f}k" if value < 1e6 else "1M"


def _slope(axes: Axes, x: np.ndarray) -> None:
    """Draw linear growth through the last point."""
    last = axes.lines[0].get_ydata()[-1]
    low, high = axes.get_ylim()
    low = min(low, last / 4)
    axes.plot(x, last * x / x[-1], color="#B8BCC2", linewidth=0.9, zorder=0, label="linear growth")
    axes.set_ylim(low, high)


def main() -> None:
    """Draw the figure."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", default=str(ROOT / "docs" / "images" / "growth.png"))
    options = parser.parse_args()
    rows = read(ROOT / "benchmarks" / "train_gpu.csv")
    figure, axes = panels(2, len(QUESTIONS), 12, 5.4)
    for column, size in enumerate(QUESTIONS):
        draw(*axes[:, column], rows, size)
    legend(axes[0, 0])
    legend(axes[0, 1])
    legend(axes[1, 0])
    figure.savefig(options.out, dpi=130)


if __name__ == "__main__":
    sys.exit(main())
