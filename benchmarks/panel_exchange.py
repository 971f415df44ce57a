"""Exchange genes of a panel as long as boosted trees separate the cell types better.

    python benchmarks/panel_exchange.py pbmc3k.npz --splits 4 --tolerance 0.02

The files are those of `benchmarks/panel_recipe.py`. The first panel is that of `panel-forward`,
from two thirds of the cells. An exchange drops one of the genes that the trees miss least, and adds
one that improves a logistic regression on the others most. The best exchange is made if the loss of
the trees, on cells of the two thirds that they were not trained on, falls by more than its standard
error, and if linear models explain all genes nearly as well as with the first panel. A row is a
panel after a number of exchanges, with the recall on the last third. The rows were measured with a
draft of this script.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from panel_recipe import LARGE, N_GENES, load, neighbors, overlap, recalls, splits_of
from rows import new_parser, parse, write
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.model_selection import StratifiedKFold

from ipcae.selectors import PanelForward
from ipcae.selectors.classical import Examples
from ipcae.selectors.classical.panel_forward import _Classes

TESTS = ["tests/selectors/classical/test_panel_forward.py"]
N_DROPS, N_ADDS, N_FOLDS, LEAST = 3, 6, 3, 1e-3
Array = NDArray[np.float64]


class Judge:
    """The cross-entropy of boosted trees on cells that they were not trained on."""

    def __init__(self, linear: _Classes, n_repeats: int):
        self.linear, self.known = linear, {}
        self.folds = [
            fold
            for seed in range(n_repeats)
            for fold in StratifiedKFold(N_FOLDS, shuffle=True, random_state=seed).split(
                linear.inputs, linear.classes
            )
        ]
        self.n_repeats = n_repeats

    def losses(self, panel: list[int]) -> tuple[Array, Array]:
        """Return the loss of every cell, and by how much it rises if a gene is shuffled."""
        key = frozenset(panel)
        if key not in self.known:
            self.known[key] = self._losses(sorted(panel))
        losses, rises = self.known[key]
        return losses, rises[np.searchsorted(sorted(panel), panel)]

    def _losses(self, panel: list[int]) -> tuple[Array, Array]:
        own, random = self.linear.inputs[:, panel], np.random.default_rng(0)
        losses, rises = np.zeros(len(own)), np.zeros(len(panel))
        for train, test in self.folds:
            trees = HistGradientBoostingClassifier(
                max_depth=3, learning_rate=0.3, max_iter=25, max_bins=32, early_stopping=False
            ).fit(own[train], self.linear.classes[train], self.linear.weights[train])
            found = self._of(trees, own[test], test)
            losses[test] += found / self.n_repeats
            for place in range(len(panel)):
                other = own[test]
                other[:, place] = random.permutation(other[:, place])
                rises[place] += (self._of(trees, other, test) - found).sum()
        return losses, rises

    def _of(self, trees: HistGradientBoostingClassifier, own: Array, cells: Array) -> Array:
        right = trees.predict_proba(own)[np.arange(len(cells)), self.linear.classes[cells]]
        return -self.linear.weights[cells] * np.log(np.maximum(right, LEAST))


def gain_beside(linear: _Classes, panel: list[int]) -> Array:
    """Return what a logistic regression on these genes would gain from every other."""
    rows = linear.inputs * np.sqrt(linear.weights)[:, None]
    own = np.linalg.qr(rows[:, panel])[0]
    linear.left = rows - own @ (own.T @ rows)
    linear.add(np.array(panel))
    return linear.gain()


def explained(X: Array, panel: list[int]) -> float:
    """Return the share of all genes that linear models explain."""
    centered = X - X.mean(0)
    own = np.linalg.qr(centered[:, panel])[0]
    return float(np.square(own.T @ centered).sum() / np.square(centered).sum())


def exchanged(X: Array, panel: list[int], judge: Judge, least: float) -> list[int] | None:
    """Return the panel after the best exchange, or None if none is an improvement."""
    before, rises = judge.losses(panel)
    best, lowest = None, before.sum()
    for place in np.argsort(rises)[:N_DROPS]:
        rest = [gene for gene in panel if gene != panel[place]]
        gain = gain_beside(judge.linear, rest)
        gain[panel] = 0
        fitting = (
            [*rest, int(new)]
            for new in np.argsort(-gain)
            if explained(X, [*rest, int(new)]) >= least
        )
        for _, other in zip(range(N_ADDS), fitting, strict=False):
            fall = before - judge.losses(other)[0]
            certain = fall.sum() > np.sqrt(len(fall)) * fall.std()
            if certain and before.sum() - fall.sum() < lowest:
                best, lowest = other, before.sum() - fall.sum()
    return best


def main() -> None:
    """Exchange genes of a panel for every split."""
    parser = new_parser(__doc__, "panel_exchange.csv")
    parser.add_argument("source")
    parser.add_argument("--splits", type=int, default=4)
    parser.add_argument("--weight", type=float, default=0.3)
    parser.add_argument("--tolerance", type=float, default=0.02)
    parser.add_argument("--repeats", type=int, default=1)
    options = parse(parser, TESTS)
    X, types = load(options.source)
    of_all, large = neighbors(X), np.bincount(types) >= LARGE
    for split, (cells, [(train, test)]) in enumerate(splits_of(types, options.splits, 0)):
        examples = Examples(X[cells], types[cells][:, None] * 1.0, True, None, options.weight)
        method = PanelForward()
        scores = method.scores(examples, N_GENES, 0)
        panel: list[int] | None = np.argsort(-scores, kind="stable")[:N_GENES].tolist()
        judge = Judge(_Classes.of(examples, method.shrinkage, method.ridge), options.repeats)
        least = (1 - options.tolerance) * explained(X[cells], panel)
        for step in range(N_GENES):
            recall = recalls(X[:, panel], types, train, test)
            row = {
                "table": Path(options.source).stem,
                "split": split,
                "reconstruction_weight": options.weight,
                "tolerance": options.tolerance,
                "repeats": options.repeats,
                "exchanges": step,
                "loss": f"{judge.losses(panel)[0].sum():.5f}",
                "explained": f"{explained(X[cells], panel):.5f}",
                "recall of all types": f"{recall.mean():.4f}",
                "recall of types with 40 cells": f"{recall[large].mean():.4f}",
                "overlap": f"{overlap(neighbors(X[:, panel]), of_all):.4f}",
            }
            print(row, flush=True)
            write(Path(options.out), [row])
            panel = exchanged(X[cells], panel, judge, least)
            if panel is None:
                break


if __name__ == "__main__":
    main()
