"""Compare weights and shrinkages of gene panels without Spapros's evaluator.

    python benchmarks/panel_recipe.py pbmc3k.npz --splits 4 --weights 0.5 0.3 --shrinkages 50 10

The .npz file has X (normalized, log-transformed), y (cell types) and, for PBMC3k, is written by
`benchmarks/gene_panel.py prepare`. A panel of 20 genes is selected from two thirds of the cells.
Boosted trees with balanced classes are trained on them; the recall of every cell type is measured
on the other third. The overlap is that of the 5, 15 and 25 nearest neighbors of all cells with all
genes and with the panel. A row is the mean over the splits. Rows without a commit were measured by
a draft of this script.
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
from sklearn.model_selection import train_test_split
from sklearn.neighbors import NearestNeighbors

from ipcae.selectors import PanelForward
from ipcae.selectors.classical import Examples

TESTS = ["tests/selectors/test_panel_forward.py"]
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


def main() -> None:
    """Measure all combinations."""
    parser = new_parser(__doc__, "panel_recipe.csv")
    parser.add_argument("source")
    parser.add_argument("--splits", type=int, default=4)
    parser.add_argument("--weights", type=float, nargs="+", default=[0.5, 0.3])
    parser.add_argument("--shrinkages", type=float, nargs="+", default=[50.0, 10.0])
    options = parse(parser, TESTS)
    X, types = load(options.source)
    of_all, large = neighbors(X), np.bincount(types) >= LARGE
    for weight, shrinkage in product(options.weights, options.shrinkages):
        found, overlaps = [], []
        for seed in range(options.splits):
            train, test = train_test_split(
                np.arange(len(X)), test_size=1 / 3, random_state=seed, stratify=types
            )
            examples = Examples(X[train], types[train][:, None] * 1.0, True, None, weight)
            scores = PanelForward(shrinkage=shrinkage).scores(examples, N_GENES, 0)
            panel = np.argsort(-scores, kind="stable")[:N_GENES]
            found.append(recalls(X[:, panel], types, train, test))
            overlaps.append(overlap(neighbors(X[:, panel]), of_all))
        mean = np.mean(found, axis=0)
        row = {
            "table": Path(options.source).stem,
            "splits": options.splits,
            "reconstruction_weight": weight,
            "shrinkage": shrinkage,
            "recall of all types": f"{mean.mean():.4f}",
            "recall of types with 40 cells": f"{mean[large].mean():.4f}",
            "overlap": f"{np.mean(overlaps):.4f}",
        }
        print(row, flush=True)
        write(Path(options.out), [row])


if __name__ == "__main__":
    main()
