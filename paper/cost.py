"""Estimated training time of a cell on the GPU, and the order of the cells."""

from __future__ import annotations

from collections.abc import Iterable

from paper.cell import Cell
from paper.protocol import DATASETS

# Approximate microseconds on an H200: per step, and per step and run of MNIST's size (128 rows ×
# 50 nodes × 784 features of noise).
PER_STEP, PER_RUN = 48.0, 23.0
MNIST_NOISE = 128 * 50 * 784
# Time of other methods relative to the CAE family; of rankings only relative to each other.
FACTORS = {"stg": 3, "lassonet": 4, "random-forest": 20, "l1-logistic": 10, "mutual-information": 5}
PER_CELL = 0.6  # seconds: copying data, capturing graphs, evaluating every run


def n_steps(cell: Cell) -> int:
    """Return the number of training steps."""
    dataset = DATASETS[cell.dataset]
    return cell.epochs * (dataset.n_train // dataset.batch_size)


def seconds(cell: Cell) -> float:
    """Return the estimated seconds of a cell of the CAE family on the GPU."""
    dataset = DATASETS[cell.dataset]
    noise = dataset.batch_size * cell.k * dataset.n_features / MNIST_NOISE
    step = PER_STEP + PER_RUN * cell.n_batch * noise
    return PER_CELL + n_steps(cell) * step * 1e-6


def longest_first(cells: Iterable[Cell]) -> list[Cell]:
    """Return cells in the order in which parallel processes finish them soonest."""
    return sorted(cells, key=lambda cell: -FACTORS.get(cell.method, 1) * seconds(cell))
