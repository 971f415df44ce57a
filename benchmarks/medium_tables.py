"""Development tables with 350 to 2,500 rows and classes, on which the fallback was chosen.

Generated tables have seeds that the suite does not use. Of the data sets, rows are drawn from the
training rows. ``FRESH`` are kinds that were made after the rule had been chosen.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from comparison import sources
from comparison.parts import common, further, unusual
from comparison.parts.further import cut, factors
from numpy.typing import NDArray
from sklearn import datasets
from sklearn.model_selection import train_test_split

Table = tuple[NDArray, NDArray]
Split = tuple[NDArray, NDArray, NDArray, NDArray]
"""X, y, and X and y of rows that were not selected by."""

N_NEW = 1500
MOST_TRAINING = 3500
FIRST_SEED = 50_000
FEWEST = 6
"""Members of a class; smaller classes are left out."""


def linear(seed: int, rows: int, columns: int = 200) -> Table:
    """Ten effects of independent columns."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(rows, columns))
    effects = [1.2, -1.2, 1.0, 1.0, -0.8, 0.8, 0.6, -0.6, 0.5, 0.5]
    return X, cut(X[:, :10] @ np.array(effects) + 0.7 * rng.normal(size=rows), 2)


def four_classes(seed: int, rows: int, columns: int = 150) -> Table:
    """Twelve effects on each of four classes."""
    rng = np.random.default_rng(seed)
    X, _ = factors(rng, rows, columns, 50, 0.5)
    scores = X[:, :12] @ rng.normal(size=(12, 4))
    return X, (scores + rng.gumbel(size=(rows, 4))).argmax(1)


def interactions(seed: int, rows: int, columns: int = 60) -> Table:
    """Two linear effects and two products."""
    rng = np.random.default_rng(seed)
    X, _ = factors(rng, rows, columns, 20, 0.5)
    score = X[:, 0] - X[:, 1] + 1.2 * X[:, 2] * X[:, 3] + 1.2 * X[:, 4] * X[:, 5]
    return X, cut(score + 0.5 * rng.normal(size=rows), 2)


def thresholds(seed: int, rows: int, columns: int = 80) -> Table:
    """Whole numbers, whose effects jump at thresholds."""
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 12, (rows, columns)).astype(float)
    over = X[:, :6] > rng.integers(3, 9, 6)
    score = over @ [2.0, -1.5, 1.5, 1.0, 1.0, -1.0] + over[:, 0] * over[:, 1]
    return X, cut(score + rng.normal(0, 0.5, rows), 3)


def small_effects(seed: int, rows: int, columns: int = 120) -> Table:
    """Forty effects of different size."""
    rng = np.random.default_rng(seed)
    X, _ = factors(rng, rows, columns, 40, 0.4)
    return X, cut(X[:, :40] @ rng.normal(size=40) + 3 * rng.normal(size=rows), 2)


def clusters(seed: int, rows: int, columns: int = 100) -> Table:
    """Six clusters in ten columns, each of which has four noisy copies."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 6, rows)
    core = 1.2 * rng.normal(size=(6, 10))[y] + rng.normal(size=(rows, 10))
    X = rng.normal(size=(rows, columns))
    X[:, :40] = 0.85 * np.tile(core, (1, 4)) + 0.5 * rng.normal(size=(rows, 40))
    return X, y


def survey(seed: int, rows: int, columns: int = 50) -> Table:
    """Four ordered answers with a habit of each person; one row of four is of the second class."""
    rng = np.random.default_rng(seed)
    X, hidden = factors(rng, rows, columns, 7, 0.6)
    X = X + 0.6 * rng.normal(size=(rows, 1))
    X = np.clip(np.round(2.5 + X), 1, 4)
    score = hidden[:, :5] @ [1, 0.8, -0.8, 0.6, -0.5] + 0.6 * rng.normal(size=rows)
    return X, (score > np.quantile(score, 0.75)).astype(int)


def parts(seed: int, rows: int, columns: int = 300) -> Table:
    """Fingerprints with correlated bits, eight of which have effects."""
    rng = np.random.default_rng(seed)
    hidden = rng.normal(size=(rows, 60))
    own = np.arange(columns) % 60
    X = 0.6 * hidden[:, own] + 0.8 * rng.normal(size=(rows, columns))
    X = (rng.uniform(0.3, 1.6, columns) < X).astype(float)
    score = X[:, :8] @ [1.5, -1.5, 1.2, 1.2, -1, 1, -0.8, 0.8] + 0.5 * rng.normal(size=rows)
    return X, cut(score, 2)


def words(seed: int, rows: int, columns: int = 600) -> Table:
    """Counts of words; twelve are more frequent in each of three topics."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 3, rows)
    rates = np.tile(rng.lognormal(-2.5, 1, columns), (3, 1))
    for topic in range(3):
        rates[topic, topic * 12 : (topic + 1) * 12] *= np.exp(rng.uniform(0.5, 1.5, 12))
    return rng.poisson(rates[y] * rng.lognormal(0, 0.4, (rows, 1))).astype(float), y


def redundant(seed: int, rows: int, columns: int = 200) -> Table:
    """Five informative columns and fifteen mixtures of them."""
    return datasets.make_classification(
        rows, columns, n_informative=5, n_redundant=15, class_sep=1, random_state=seed
    )


def clinic(seed: int, rows: int, columns: int = 45) -> Table:
    """Numbers, yes or no, and ordered answers; a tenth was missing; one row of five is ill."""
    rng = np.random.default_rng(seed)
    X, _ = factors(rng, rows, columns, 15, 0.55)
    X[:, 1::3] = X[:, 1::3] > rng.uniform(-0.5, 1, X[:, 1::3].shape[1])
    X[:, 2::3] = np.clip(np.round(2 + X[:, 2::3]), 0, 4)
    effects = [1, 1.5, 0.8, -0.8, -1, 0.6, 0.6, 0.8, -0.5]
    score = X[:, :9] @ effects + 0.7 * rng.normal(size=rows)
    missing = rng.random(X.shape) < 0.1
    X = np.where(missing, np.nanmedian(np.where(missing, np.nan, X), 0), X)
    return X, (score > np.quantile(score, 0.8)).astype(int)


def ratings(seed: int, rows: int, columns: int = 60) -> Table:
    """Ratings from 1 to 7; five ordered classes."""
    rng = np.random.default_rng(seed)
    X, hidden = factors(rng, rows, columns, 12, 0.65)
    score = hidden[:, :6] @ rng.normal(size=6) + 0.4 * rng.normal(size=rows)
    return np.clip(np.round(4 + 1.4 * X), 1, 7), cut(score, 5)


def molecules(seed: int, rows: int, columns: int = 400) -> Table:
    """Rare bits, some of which repeat; twelve have effects on three classes."""
    rng = np.random.default_rng(seed)
    share = rng.beta(1, 5, columns)
    X = (rng.random((rows, columns)) < share).astype(float)
    repeated = rng.random((rows, 28)) < 0.8
    X[:, 12:40] = np.where(repeated, X[:, rng.integers(0, 12, 28)], X[:, 12:40])
    X[:, :12] = rng.random((rows, 12)) < 0.3
    scores = X[:, :12] @ rng.normal(0, 1.5, (12, 3))
    return X, (scores + rng.gumbel(size=(rows, 3))).argmax(1)


def signals(seed: int, rows: int, columns: int = 128) -> Table:
    """Sampled signals with a bump in one of four places, on a wave of random phase."""
    rng = np.random.default_rng(seed)
    axis = np.linspace(0, 1, columns)
    y = rng.integers(0, 4, rows)
    center = np.array([0.2, 0.4, 0.6, 0.8])[y][:, None] + rng.normal(0, 0.03, (rows, 1))
    bump = np.exp(-np.square((axis - center) / 0.08)) * rng.lognormal(0, 0.3, (rows, 1))
    wave = 0.6 * np.sin(2 * np.pi * (3 * axis + rng.random((rows, 1))))
    return bump + wave + 0.35 * rng.normal(size=(rows, columns)), y


def spread(seed: int, rows: int, columns: int = 70) -> Table:
    """Classes that differ in the variance of six columns."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 2, rows)
    X = rng.normal(size=(rows, columns))
    X[:, :6] *= np.where(y, 1.8, 0.8)[:, None]
    return X, y


def ratios(seed: int, rows: int, columns: int = 90) -> Table:
    """Skewed positive measurements, of which three ratios matter."""
    rng = np.random.default_rng(seed)
    X, _ = factors(rng, rows, columns, 10, 0.6)
    score = X[:, 0] - X[:, 10] + X[:, 1] - X[:, 11] + 0.8 * (X[:, 2] - X[:, 12])
    return np.exp(1.2 * X), cut(score + 0.5 * rng.normal(size=rows), 3)


def nested(seed: int, rows: int, columns: int = 50) -> Table:
    """Two columns decide which of the others matter."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(rows, columns))
    above = np.where(X[:, 1] > 0, X[:, 2], -X[:, 3])
    below = np.where(X[:, 4] > 0, X[:, 5], X[:, 1])
    return X, cut(np.where(X[:, 0] > 0, above, below) + 0.3 * rng.normal(size=rows), 2)


def unequal(seed: int, rows: int, columns: int = 100) -> Table:
    """Five classes, from 60 to 4 % of the rows, and correlated columns."""
    rng = np.random.default_rng(seed)
    y = rng.choice(5, rows, p=[0.6, 0.2, 0.1, 0.06, 0.04])
    X, _ = factors(rng, rows, columns, 25, 0.7)
    X[:, :15] += (1.1 * rng.normal(size=(5, 15)))[y]
    return X, y


Make = Callable[..., Table]
GENERATED: dict[str, tuple[Make, int]] = {
    "answers": (further.answers, 350),
    "answers-900": (further.answers, 900),
    "gaps": (further.gaps, 350),
    "fingerprints": (further.fingerprints, 490),
    "blocks": (further.blocks, 400),
    "units": (further.units, 350),
    "crowd": (further.crowd, 600),
    "shares": (further.shares, 350),
    "spectra": (further.spectra, 350),
    "heavy-tails": (unusual.heavy_tails, 350),
    "xor": (unusual.exclusive_or, 500),
    "many-classes": (unusual.many_classes, 900),
    "rare-class": (unusual.rare_class, 900),
    "genes": (unusual.genes, 490),
    "rings": (unusual.rings, 500),
    "chain": (unusual.chain, 350),
    "outliers": (unusual.outliers, 490),
    "codes": (unusual.codes, 700),
    "sensors": (lambda seed, rows: common.sensors(seed, rows, 60, True), 600),
    "mixed": (lambda seed, rows: common.mixed(seed, rows, 40, True), 600),
    "linear": (linear, 350),
    "four-classes": (four_classes, 500),
    "interactions": (interactions, 400),
    "thresholds": (thresholds, 400),
    "small-effects": (small_effects, 500),
    "clusters": (clusters, 350),
    "survey": (survey, 400),
    "parts": (parts, 400),
    "words": (words, 500),
    "redundant": (redundant, 400),
}
FRESH: dict[str, tuple[Make, int]] = {
    "clinic": (clinic, 400),
    "ratings": (ratings, 400),
    "molecules": (molecules, 450),
    "signals": (signals, 350),
    "spread": (spread, 600),
    "ratios": (ratios, 350),
    "nested": (nested, 800),
    "unequal": (unequal, 500),
    "clinic-2500": (clinic, 2500),
    "ratings-2500": (ratings, 2500),
    "molecules-2500": (molecules, 2500),
    "answers-2500": (further.answers, 2500),
    "gaps-1500": (further.gaps, 1500),
    "fingerprints-2000": (further.fingerprints, 2000),
}
REAL = {
    f"{name}:{rows}": (name, rows)
    for name, sizes in {
        **dict.fromkeys(("isolet", "har", "mnist", "digits", "pbmc3k", "PCMAC"), (350, 1000)),
        **dict.fromkeys(("coil20", "mice_protein", "breast_cancer"), (350,)),
    }.items()
    for rows in sizes
}
NAMES = (*FRESH, *GENERATED, *REAL)


def sizes(name: str) -> tuple[int, int]:
    """Return the numbers of features to select."""
    if name.startswith(("mice_protein", "breast_cancer")):
        return 5, 10
    if name.startswith("digits"):
        return 8, 16
    return (15, 50) if name in REAL else (5, 15)


def table(name: str, seed: int) -> Split:
    """Return the rows to select by, and the others."""
    if name in REAL:
        return _drawn(*REAL[name], seed)
    return table_of(name, (GENERATED | FRESH)[name][1], seed)


def table_of(name: str, rows: int, seed: int) -> Split:
    """Return this number of rows to select by, and others."""
    if name not in GENERATED | FRESH:
        return _drawn(name, rows, seed)
    make, _ = (GENERATED | FRESH)[name]
    X, y = make(FIRST_SEED + seed, rows=rows + N_NEW)
    order = np.random.default_rng(seed).permutation(len(X))
    X, y = X[order], y[order]
    return X[:rows], y[:rows], X[rows:], y[rows:]


def _drawn(name: str, rows: int, seed: int) -> Split:
    """Draw rows of a data set."""
    X, y = _training_rows(name)
    counts = np.unique(y, return_inverse=True, return_counts=True)[1:]
    kept = counts[1][counts[0]] >= FEWEST
    X, y = np.asarray(X, float)[kept], np.unique(y[kept], return_inverse=True)[1]
    rows = min(rows, int(0.7 * len(X)))
    X, X_new, y, y_new = train_test_split(
        X,
        y,
        train_size=rows,
        test_size=min(N_NEW, len(X) - rows),
        stratify=y,
        random_state=FIRST_SEED + seed,
    )
    return X, y, X_new, y_new


def _training_rows(name: str) -> Table:
    if name in ("digits", "breast_cancer"):
        return getattr(datasets, f"load_{name}")(return_X_y=True)
    if name in ("pbmc3k", "PCMAC"):
        X, y = sources.cells_of(name) if name == "pbmc3k" else sources.small_table(name)
        X, _, y, _ = train_test_split(X, y, test_size=0.3, stratify=y, random_state=0)
        return X, y
    X, _, y, _ = sources.large(name)
    some = np.sort(np.random.default_rng(16).permutation(len(X))[:MOST_TRAINING])
    return X[some], y[some]
