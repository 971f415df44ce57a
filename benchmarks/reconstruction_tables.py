"""Kinds of generated tables without a target, to reconstruct their columns from some of them.

Every kind is a function of a generator of random numbers and a number of columns. It draws what the
rows have in common, and returns a function of a generator and a number of rows.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

Table = NDArray[np.float64]
Random = np.random.Generator
Rows = Callable[[Random, int], Table]

N_FACTORS = 5


def factors(random: Random, columns: int, loading: float = 1.0) -> Callable[[Random, int], Table]:
    """Return linear combinations of a few normal factors."""
    weights = loading * random.normal(size=(N_FACTORS, columns))
    return lambda own, rows: own.normal(size=(rows, N_FACTORS)) @ weights


def noisy_factors(random: Random, columns: int) -> Rows:
    """Factors and noise."""
    signal = factors(random, columns)
    return lambda own, rows: signal(own, rows) + 0.6 * own.normal(size=(rows, columns))


def independent(random: Random, columns: int) -> Rows:
    """Noise that nothing can reconstruct."""
    return lambda own, rows: own.normal(size=(rows, columns))


def half_noise(random: Random, columns: int) -> Rows:
    """Factors in half of the columns, and noise in the others."""
    signal, noise = noisy_factors(random, columns // 2), independent(random, columns // 2)
    return lambda own, rows: np.hstack([0.6 * signal(own, rows), 1.5 * noise(own, rows)])


def chain(random: Random, columns: int) -> Rows:
    """Neighbors with a correlation of 0.9, as in time series."""

    def make(own: Random, rows: int) -> Table:
        table = own.normal(size=(rows, columns))
        for column in range(1, columns):
            table[:, column] = 0.9 * table[:, column - 1] + 0.436 * table[:, column]
        return table

    return make


def sensors(random: Random, columns: int) -> Rows:
    """Eight blocks of sensors in different units."""
    block, unit = np.arange(columns) % 8, 10.0 ** random.uniform(-2, 3, columns)

    def make(own: Random, rows: int) -> Table:
        return unit * (
            own.normal(size=(rows, 8))[:, block] + 0.5 * own.normal(size=(rows, columns))
        )

    return make


def few_large(random: Random, columns: int) -> Rows:
    """Factors, and five unrelated columns of large variance."""
    signal = noisy_factors(random, columns - 5)
    return lambda own, rows: np.hstack([8 * own.normal(size=(rows, 5)), signal(own, rows)])


def spectra(random: Random, columns: int) -> Rows:
    """Sums of ten broad peaks of log-normal heights."""
    place, center = np.linspace(0, 1, columns), random.uniform(size=(10, 1))
    peaks = np.exp(-np.square((place - center) / random.uniform(0.02, 0.15, (10, 1))) / 2)
    return lambda own, rows: (
        np.exp(0.7 * own.normal(size=(rows, 10))) @ peaks + 0.01 * own.normal(size=(rows, columns))
    )


def moving_peaks(random: Random, columns: int) -> Rows:
    """One peak of random place, width and height."""
    place = np.linspace(0, 1, columns)

    def make(own: Random, rows: int) -> Table:
        center, width, height = (
            own.uniform(low, high, (rows, 1))
            for low, high in ((0.2, 0.8), (0.04, 0.12), (0.5, 1.5))
        )
        peaks = height * np.exp(-np.square((place - center) / width) / 2)
        return peaks + 0.02 * own.normal(size=(rows, columns))

    return make


def outlying_rows(random: Random, columns: int) -> Rows:
    """Factors and noise, in 2 % of the rows ten times as large."""
    signal = noisy_factors(random, columns)
    return lambda own, rows: signal(own, rows) * (1 + 9 * (own.uniform(size=(rows, 1)) < 0.02))


def outliers(random: Random, columns: int) -> Rows:
    """Factors and noise, and 0.5 % of the values are far off."""
    signal = noisy_factors(random, columns)

    def make(own: Random, rows: int) -> Table:
        table = signal(own, rows)
        return table + 30 * own.normal(size=table.shape) * (own.uniform(size=table.shape) < 0.005)

    return make


def log_normal(random: Random, columns: int) -> Rows:
    """Exponentials of factors and noise, such as concentrations."""
    signal, level = factors(random, columns, 0.7), random.normal(size=columns)
    return lambda own, rows: np.exp(
        signal(own, rows) + level + 0.4 * own.normal(size=(rows, columns))
    )


def counts(random: Random, columns: int) -> Rows:
    """Poisson counts whose logarithmic means depend on factors."""
    signal, level = factors(random, columns, 0.6), random.normal(size=columns)
    return lambda own, rows: own.poisson(np.exp(signal(own, rows) + level)).astype(float)


def binary(random: Random, columns: int) -> Rows:
    """Rare events that depend on factors."""
    signal = factors(random, columns, 1.5)
    return lambda own, rows: (signal(own, rows) + own.logistic(size=(rows, columns)) > 2.5).astype(
        float
    )


def clusters(random: Random, columns: int) -> Rows:
    """Eight clusters that differ in 40 % of the columns."""
    centers = 2 * random.normal(size=(8, columns)) * (random.uniform(size=(8, columns)) < 0.4)
    return lambda own, rows: (
        centers[own.integers(8, size=rows)] + 0.6 * own.normal(size=(rows, columns))
    )


def angles(random: Random, columns: int) -> Rows:
    """Cosines of two angles and of their multiples."""
    which, phase = random.integers(2, size=columns), random.uniform(0, 2 * np.pi, columns)
    times = random.integers(1, 4, columns)

    def make(own: Random, rows: int) -> Table:
        angle = own.uniform(0, 2 * np.pi, (rows, 2))[:, which]
        return np.cos(times * angle + phase) + 0.1 * own.normal(size=(rows, columns))

    return make


def curved(random: Random, columns: int) -> Rows:
    """Values, squares, sines and products of four latent variables."""
    first, second = random.integers(4, size=(2, columns))
    kind = random.integers(4, size=columns)

    def make(own: Random, rows: int) -> Table:
        latent = own.normal(size=(rows, 4))
        x, y = latent[:, first], latent[:, second]
        values = np.choose(kind, [x, x**2, np.sin(2 * x), x * y])
        return values + 0.1 * own.normal(size=(rows, columns))

    return make


KINDS: dict[str, Callable[[Random, int], Rows]] = {
    kind.__name__.replace("_", "-"): kind
    for kind in (
        noisy_factors,
        independent,
        half_noise,
        chain,
        sensors,
        few_large,
        spectra,
        moving_peaks,
        outlying_rows,
        outliers,
        log_normal,
        counts,
        binary,
        clusters,
        angles,
        curved,
    )
}


def generated(kind: str, columns: int, rows: int, new: int, seed: int) -> tuple[Table, Table]:
    """Return rows to fit, and new rows of the same kind, without columns that are constant."""
    make = KINDS[kind](np.random.default_rng([seed, 0]), columns)
    fitted, others = (
        make(np.random.default_rng([seed, part]), n) for part, n in ((1, rows), (2, new))
    )
    varying = fitted.std(0) > 0
    return fitted[:, varying], others[:, varying]
