"""Other kinds of generated tables, created after the defaults were chosen.

Answers on a scale of five, spectra, shares that sum to one, fingerprints of zeros and ones, many
classes of few rows, blocks of columns that repeat each other, units from millionths to millions,
gaps that were filled, targets that are counts, steps, products or sums of many small effects. Every
split is another table of the same kind; with ``development``, others are generated.
"""

from __future__ import annotations

import numpy as np

from comparison.cells import Cell, Row
from comparison.parts.common import CLASSES, NUMBERS, Problem, judged

SIZES = 5, 15


def factors(rng, rows: int, columns: int, n_factors: int, loading: float):
    """Return columns in blocks, each of which repeats a factor, and the factors."""
    hidden = rng.normal(size=(rows, n_factors))
    own = np.arange(columns) % n_factors
    noise = rng.normal(size=(rows, columns))
    return loading * hidden[:, own] + (1 - loading**2) ** 0.5 * noise, hidden


def cut(score, n_classes: int):
    """Return classes of equal size by the order of a score."""
    return np.digitize(score, np.quantile(score, np.arange(1, n_classes) / n_classes))


def answers(seed: int, rows: int = 500, columns: int = 80):
    """Answers from 1 to 5 to questions about ten opinions, four of which tell the class."""
    rng = np.random.default_rng(seed)
    X, hidden = factors(rng, rows, columns, 10, 0.7)
    X = np.clip(np.round(3 + 1.2 * X + rng.normal(0, 0.7, columns)), 1, 5)
    return X, cut(hidden[:, :4] @ [1.0, 1.0, -1.0, 0.7] + 0.5 * rng.normal(size=rows), 3)


def crowd(seed: int, rows: int = 260, columns: int = 500):
    """Thirty classes of eight or nine rows; twenty columns differ between them."""
    rng = np.random.default_rng(seed)
    y = np.arange(rows) % 30
    X = rng.normal(size=(rows, columns))
    X[:, :20] += 1.8 * rng.normal(size=(30, 20))[y]
    return X, y


def blocks(seed: int, rows: int = 280, columns: int = 400):
    """Twenty blocks of twenty columns with correlation 0.8; six blocks matter."""
    rng = np.random.default_rng(seed)
    X, hidden = factors(rng, rows, columns, 20, 0.9)
    score = hidden[:, :6] @ [1.0, -1.0, 0.8, 0.8, -0.6, 0.6]
    return X, cut(score + 0.5 * rng.normal(size=rows), 2)


def units(seed: int, rows: int = 400, columns: int = 100):
    """Units from millionths to millions, far from zero, some on a logarithmic scale."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(rows, columns))
    y = cut(X[:, :6] @ [1.0, -1.0, 0.8, 0.8, -0.6, 0.6] + 0.5 * rng.normal(size=rows), 3)
    X[:, ::3] = np.exp(X[:, ::3])
    return (X + 3 * rng.normal(size=columns)) * 10.0 ** rng.uniform(-6, 6, columns), y


def gaps(seed: int, rows: int = 500, columns: int = 120):
    """A third of the values is missing and was replaced by the median of the column."""
    rng = np.random.default_rng(seed)
    X, hidden = factors(rng, rows, columns, 30, 0.8)
    y = cut(hidden[:, :5] @ [1.0, -1.0, 0.8, 0.8, -0.6] + 0.4 * rng.normal(size=rows), 2)
    missing = rng.random(X.shape) < rng.uniform(0, 0.6, columns)
    return np.where(missing, np.nanmedian(np.where(missing, np.nan, X), 0), X), y


def fingerprints(seed: int, rows: int = 700, columns: int = 500):
    """Zeros and ones, most of them rare; a molecule is active if it has two of three parts."""
    rng = np.random.default_rng(seed)
    X = (rng.random((rows, columns)) < rng.beta(0.6, 4, columns)).astype(float)
    X[:, :9] = rng.random((rows, 9)) < 0.35
    active = (X[:, :3].sum(1) >= 2) | (X[:, 3:6].sum(1) == 3) | (X[:, 6:9].sum(1) == 3)
    return X, np.where(rng.random(rows) < 0.05, 1 - active, active).astype(int)


def shares(seed: int, rows: int = 200, columns: int = 300):
    """Shares of species that sum to one, most of them zero; eight differ between three places."""
    rng = np.random.default_rng(seed)
    y = np.arange(rows) % 3
    means = np.tile(rng.normal(0, 2, columns), (rows, 1))
    means[:, :8] = 1.5 + 1.5 * rng.normal(size=(3, 8))[y]
    counts = rng.poisson(np.exp(means + rng.normal(0, 1, means.shape)))
    return counts / np.maximum(counts.sum(1, keepdims=True), 1), y


def bands(rng, rows: int, columns: int, n_substances: int):
    """Return spectra of mixtures on drifting baselines, and the concentrations."""
    axis = np.linspace(0, 1, columns)
    amounts = rng.lognormal(0, 0.5, (rows, n_substances))
    pure = np.zeros((n_substances, columns))
    for spectrum in pure:
        for center, width in zip(rng.uniform(size=5), rng.uniform(0.01, 0.05, 5), strict=True):
            spectrum += rng.uniform(0.2, 1) * np.exp(-np.square((axis - center) / width))
    drift = rng.normal(size=(rows, 3)) @ np.stack([np.ones(columns), axis, axis**2])
    return amounts @ pure + 0.5 * drift + 0.05 * rng.normal(size=(rows, columns)), amounts


def spectra(seed: int, rows: int = 150, columns: int = 600):
    """Spectra of mixtures of six substances; the class is which of three prevails."""
    X, amounts = bands(np.random.default_rng(seed), rows, columns, 6)
    return X, amounts[:, :3].argmax(1)


def concentration(seed: int, rows: int = 120, columns: int = 600):
    """Spectra of mixtures of six substances; how much of the first is there?"""
    X, amounts = bands(np.random.default_rng(seed), rows, columns, 6)
    return X, amounts[:, 0]


def block_numbers(seed: int, rows: int = 110, columns: int = 600):
    """Thirty blocks of twenty columns with correlation 0.8, six of which matter; 77 rows."""
    rng = np.random.default_rng(seed)
    X, hidden = factors(rng, rows, columns, 30, 0.9)
    return X, hidden[:, :6] @ [1.0, -1.0, 0.8, 0.8, -0.6, 0.6] + 0.5 * rng.normal(size=rows)


def small_effects(seed: int, rows: int = 600, columns: int = 200):
    """Forty columns with effects of different size."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(rows, columns))
    return X, X[:, :40] @ rng.normal(size=40) + 3 * rng.normal(size=rows)


def events(seed: int, rows: int = 500, columns: int = 100):
    """Counts whose logarithm is linear in five columns."""
    rng = np.random.default_rng(seed)
    X, _ = factors(rng, rows, columns, 25, 0.6)
    rate = np.exp(0.5 + X[:, :5] @ [0.5, -0.5, 0.4, 0.4, -0.3])
    return X, rng.poisson(rate).astype(float)


def steps(seed: int, rows: int = 600, columns: int = 60):
    """Whole numbers; the target jumps at thresholds of five columns."""
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 12, (rows, columns)).astype(float)
    over = X[:, :5] > rng.integers(3, 9, 5)
    return X, over @ [2.0, -1.5, 1.5, 1.0, 1.0] + over[:, 0] * over[:, 1] + rng.normal(0, 0.5, rows)


def products(seed: int, rows: int = 500, columns: int = 60):
    """Two linear effects and two products."""
    rng = np.random.default_rng(seed)
    X, _ = factors(rng, rows, columns, 20, 0.5)
    y = X[:, 0] - X[:, 1] + 1.2 * X[:, 2] * X[:, 3] + 1.2 * X[:, 4] * X[:, 5]
    return X, y + 0.5 * rng.normal(size=rows)


CLASSES_OF = answers, crowd, blocks, units, gaps, fingerprints, shares, spectra
NUMBERS_OF = concentration, block_numbers, small_effects, events, steps, products
PROBLEMS = {
    make.__name__.replace("_", "-"): Problem(task, make, SIZES)
    for task, makers in ((CLASSES, CLASSES_OF), (NUMBERS, NUMBERS_OF))
    for make in makers
}


def problems() -> dict[str, tuple[int, ...]]:
    """Return the numbers of features to select, by table."""
    return dict.fromkeys(PROBLEMS, SIZES)


def measure(cell: Cell, development: bool) -> Row:
    """Select on the training rows, and judge the columns on the others by four models."""
    return judged(PROBLEMS[cell.problem], cell, development)
