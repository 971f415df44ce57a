"""Compare weights and shrinkages of gene panels without Spapros's evaluator.

    python benchmarks/panel_recipe.py pbmc3k.npz --splits 4 --weights 0.5 0.3 --shrinkages 50 10
    python benchmarks/panel_recipe.py pbmc3k.npz --folds 5 --splits 2 --ridges 1 0.3

The .npz file has X (normalized, log-transformed), y (cell types) and, for PBMC3k, is written by
`benchmarks/gene_panel.py prepare`. A panel of 20 genes is selected from two thirds of the cells.
Boosted trees with balanced classes are trained on them; the recall of every cell type is measured
on the other third. With --folds, the panel is selected from all cells, and the trees are
cross-validated, as often as there are splits: that compares panels for these cells. The overlap is
that of the 5, 15 and 25 nearest neighbors of all cells with all genes and with the panel. A row is
the mean over the splits. Rows without a commit were measured by a draft of this script.
"""

from __future__ import annotations

from itertools import product
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from rows import new_parser, parse, write
from sklearn.decomposition import PCA
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.metrics import recall_score
from sklearn.model_selection import StratifiedKFold, train_test_split
from sklearn.neighbors import NearestNeighbors

from ipcae.selectors import PanelForward
from ipcae.selectors.classical import Examples

TESTS = ["tests/selectors/classical/test_panel_forward.py"]
N_GENES, FEWEST, LARGE, NEIGHBORS = 20, 10, 40, (5, 15, 25)
Array = NDArray[np.float64]


def load(path: str) -> tuple[Array, NDArray[np.int64]]:
    """Return the expression and the types, without types of fewer than ten cells."""
    data = np.load(path)
    _, types, counts = np.unique(data["y"], return_inverse=True, return_counts=True)
    kept = counts[types] >= FEWEST
    return data["X"][kept].astype(np.float64), np.unique(types[kept], return_inverse=True)[1]


def neighbors(X: Array) -> NDArray[np.int64]:
    """Return the nearest neighbors of every cell, from 50 principal components."""
    parts = PCA(min(50, X.shape[1] - 1), random_state=0).fit_transform(X)
    found = NearestNeighbors(n_neighbors=max(NEIGHBORS) + 1).fit(parts)
    return found.kneighbors(parts, return_distance=False)[:, 1:]


def overlap(one: NDArray[np.int64], other: NDArray[np.int64]) -> float:
    """Return the mean share of the neighbors that are the same."""
    shares = [
        len(set(a[:k]) & set(b[:k])) / k for k in NEIGHBORS for a, b in zip(one, other, strict=True)
    ]
    return float(np.mean(shares))


def recalls(X: Array, types: NDArray[np.int64], train: Array, test: Array) -> Array:
    """Return the recall of every type."""
    model = HistGradientBoostingClassifier(
        max_depth=3,
        learning_rate=0.2,
        max_iter=50,
        class_weight="balanced",
        random_state=0,
        early_stopping=False,
    ).fit(X[train], types[train])
    return np.asarray(recall_score(types[test], model.predict(X[test]), average=None))


def splits_of(
    types: NDArray[np.int64], n_splits: int, n_folds: int
) -> list[tuple[list[int], list[tuple[Array, Array]]]]:
    """Return the cells to select from, and the cells to train and to test the trees on."""
    cells, found = np.arange(len(types)), []
    for seed in range(n_splits):
        if n_folds:
            folds = StratifiedKFold(n_folds, shuffle=True, random_state=seed)
            found.append((cells, list(folds.split(cells, types))))
        else:
            halves = train_test_split(cells, test_size=1 / 3, random_state=seed, stratify=types)
            found.append((halves[0], [tuple(halves)]))
    return found


def main() -> None:
    """Measure all combinations."""
    parser = new_parser(__doc__, "panel_recipe.csv")
    parser.add_argument("source")
    parser.add_argument("--splits", type=int, default=4)
    parser.add_argument("--weights", type=float, nargs="+", default=[0.5, 0.3])
    parser.add_argument("--shrinkages", type=float, nargs="+", default=[50.0, 10.0])
    parser.add_argument("--ridges", type=float, nargs="+", default=[1.0])
    parser.add_argument("--folds", type=int, default=0)
    options = parse(parser, TESTS)
    X, types = load(options.source)
    of_all, large = neighbors(X), np.bincount(types) >= LARGE
    splits = splits_of(types, options.splits, options.folds)
    for weight, shrinkage, ridge in product(options.weights, options.shrinkages, options.ridges):
        found, overlaps, method = [], [], PanelForward(shrinkage=shrinkage, ridge=ridge)
        for cells, folds in splits:
            examples = Examples(X[cells], types[cells][:, None] * 1.0, True, None, weight)
            panel = np.argsort(-method.scores(examples, N_GENES, 0), kind="stable")[:N_GENES]
            found += [recalls(X[:, panel], types, train, test) for train, test in folds]
            overlaps.append(overlap(neighbors(X[:, panel]), of_all))
        mean = np.mean(found, axis=0)
        row = {
            "table": Path(options.source).stem,
            "splits": options.splits,
            "folds": options.folds or "",
            "reconstruction_weight": weight,
            "shrinkage": shrinkage,
            "ridge": ridge,
            "recall of all types": f"{mean.mean():.4f}",
            "recall of types with 40 cells": f"{mean[large].mean():.4f}",
            "overlap": f"{np.mean(overlaps):.4f}",
        }
        print(row, flush=True)
        write(Path(options.out), [row])


if __name__ == "__main__":
    main()
