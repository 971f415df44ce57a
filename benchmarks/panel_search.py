"""Search a panel for PBMC3k by exchanging genes, evaluated by leave-one-out predictions.

    python benchmarks/panel_search.py pbmc3k.npz panels.json

This is the draft of `ipcae.selectors.PanelExchange`, kept because it found a panel of
docs/experiments/panels.md: the same search, without centering the columns, with neighbors in
principal components of the panel, and with a lower limit of 0.172 for their overlap. The .npz file
is that of `benchmarks/gene_panel.py prepare`, and the result is a file for its step `evaluate`.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

import numpy as np
from sklearn.decomposition import PCA
from sklearn.neighbors import NearestNeighbors

from ipcae.selectors import PanelForward
from ipcae.selectors.classical import Examples

N_GENES, N_CANDIDATES, N_DROPS, N_CHECKED, LARGE = 20, 120, 8, 40, 40
WEIGHT, SHRINKAGE, LEAST_GAIN, LEAST_OVERLAP, N_LANDMARKS = 0.15, 50.0, 3e-4, 0.172, 120


class Recall:
    """The leave-one-out recall of a balanced kernel classifier of the large types, made smooth."""

    def __init__(self, X, types):
        kept = np.bincount(types)[types] >= LARGE
        self.X = X[kept] / np.sqrt(X.var(0) + X.var(0).mean())
        self.types = np.unique(types[kept], return_inverse=True)[1]
        n_types = self.types.max() + 1
        weights = 1 / np.bincount(self.types)[self.types]
        self.weights = weights / weights.sum()
        self.targets = np.eye(n_types)[self.types] - 1 / n_types
        random, each = np.random.default_rng(0), N_LANDMARKS // n_types
        members = [np.flatnonzero(self.types == c) for c in range(n_types)]
        self.landmarks = np.concatenate([random.choice(own, each, False) for own in members])
        self.known: dict[tuple[int, ...], float] = {}

    def __call__(self, panel: list[int]) -> float:
        """Return the recall with these genes."""
        key = tuple(sorted(panel))
        if key not in self.known:
            self.known[key] = self._compute(list(key))
        return self.known[key]

    def _compute(self, panel: list[int]) -> float:
        own = self.X[:, panel]
        marks = own[self.landmarks]
        distances = (own**2).sum(1)[:, None] + (marks**2).sum(1) - 2 * own @ marks.T
        kernels = np.exp(-0.3 * distances / len(panel))
        table = np.hstack([kernels, np.ones((len(own), 1)), own * 0.1])
        products = table.T @ (table * self.weights[:, None])
        products.flat[:: len(products) + 1] += 1e-4
        solved = np.linalg.solve(products, table.T).T
        hat = ((solved * table).sum(1) * self.weights)[:, None]
        fitted = solved @ (table.T @ (self.weights[:, None] * self.targets))
        without = (fitted - hat * self.targets) / (1 - hat)
        cells = np.arange(len(own))
        true = without[cells, self.types].copy()
        without[cells, self.types] = -9
        certain = 1 / (1 + np.exp(-(true - without.max(1)) / 0.1))
        return float((certain * self.weights).sum())


class Overlap:
    """The share of the 5, 15 and 25 nearest neighbors of the cells that stay the same."""

    def __init__(self, X):
        self.X, self.before = X, _nearest(X)

    def __call__(self, panel: list[int]) -> float:
        """Return the overlap with these genes."""
        after = _nearest(self.X[:, panel])
        shares = [
            (after[:, :k, None] == self.before[:, None, :k]).any(2).mean() for k in (5, 15, 25)
        ]
        return float(np.mean(shares))


def _nearest(X):
    parts = PCA(min(50, X.shape[1] - 1), random_state=0).fit_transform(X)
    found = NearestNeighbors(n_neighbors=26).fit(parts)
    return found.kneighbors(parts, return_distance=False)[:, 1:]


def exchanged(panel: list[int], pool: list[int], recall: Recall, overlap: Overlap) -> list[int]:
    """Make the best exchange, and repeat."""
    while True:
        rests = [[gene for gene in panel if gene != drop] for drop in panel]
        rests = sorted(rests, key=lambda rest: -recall(rest))[:N_DROPS]
        panels = [[*rest, new] for rest in rests for new in pool if new not in panel]
        for other in sorted(panels, key=recall, reverse=True)[:N_CHECKED]:
            if recall(other) < recall(panel) + LEAST_GAIN:
                return panel
            if overlap(other) >= LEAST_OVERLAP:
                panel = other
                print(f"recall {recall(panel):.4f}, overlap {overlap(panel):.4f}", flush=True)
                break
        else:
            return panel


def main() -> None:
    """Search the panel."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("source")
    parser.add_argument("out")
    options = parser.parse_args()
    data = np.load(options.source)
    X, genes = data["X"].astype(np.float64), data["genes"]
    types = np.unique(data["y"], return_inverse=True)[1]
    large = np.bincount(types)[types] >= LARGE
    examples = Examples(X[large], types[large][:, None] * 1.0, True, None, WEIGHT)
    scores = PanelForward(shrinkage=SHRINKAGE).scores(examples, N_GENES, 0)
    order = np.argsort(-scores, kind="stable").tolist()
    panel = exchanged(order[:N_GENES], order[:N_CANDIDATES], Recall(X, types), Overlap(X))
    found = {
        "genes": genes[panel].tolist(),
        "method": "panel-search",
        "reconstruction_weight": WEIGHT,
        "shrinkage": SHRINKAGE,
    }
    Path(options.out).write_text(json.dumps({"searched": found}, indent=1))


if __name__ == "__main__":
    main()
