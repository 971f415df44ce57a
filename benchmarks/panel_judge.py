"""Evaluate gene panels by cross-validated trees and neighbors, without Spapros's evaluator.

    python benchmarks/panel_judge.py pbmc3k.npz panels.json --repeats 6

The .npz file is that of `benchmarks/gene_panel.py prepare`, and panels.json that of its step
`select`. Cell types of fewer than 40 cells are left out, in training and testing, as in
Spapros's protocol. Boosted trees with balanced classes are cross-validated with five folds, several
times; the recall is the mean over the types. The overlap is that of
`ipcae.selectors.classical.statistics.neighbor_overlap`, over all cells. Thirty rounds of boosting
were chosen because more lowered the recall of the panels known then. Rows without a commit were
measured by a draft of this script, with the overlap of `benchmarks/panel_search.py`.
"""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
from rows import new_parser, parse, write
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.metrics import recall_score
from sklearn.model_selection import StratifiedKFold

from ipcae.selectors.classical.statistics.neighbor_overlap import NeighborOverlap

TESTS = ["tests/selectors/classical/test_panel_exchange.py"]
LARGE, FIRST_SEED = 40, 200


def recalls(X, types, n_repeats: int) -> list[float]:
    """Return the mean recall of the types in every repetition of the cross-validation."""
    found = []
    for seed in range(FIRST_SEED, FIRST_SEED + n_repeats):
        of_folds = []
        for train, test in StratifiedKFold(5, shuffle=True, random_state=seed).split(X, types):
            trees = HistGradientBoostingClassifier(
                max_depth=3,
                learning_rate=0.2,
                max_iter=30,
                max_bins=64,
                class_weight="balanced",
                early_stopping=False,
                random_state=seed,
            ).fit(X[train], types[train])
            predicted = trees.predict(X[test])
            of_folds.append(recall_score(types[test], predicted, average="macro"))
        found.append(float(np.mean(of_folds)))
    return found


def main() -> None:
    """Judge every panel."""
    parser = new_parser(__doc__, "panel_judge.csv")
    parser.add_argument("source")
    parser.add_argument("panels")
    parser.add_argument("--repeats", type=int, default=6)
    options = parse(parser, TESTS)
    data = np.load(options.source)
    X, genes = data["X"].astype(np.float64), data["genes"].tolist()
    _, types, counts = np.unique(data["y"], return_inverse=True, return_counts=True)
    large, overlap = counts[types] >= LARGE, NeighborOverlap.of(X)
    for name, panel in json.loads(Path(options.panels).read_text()).items():
        columns = np.array([genes.index(gene) for gene in panel["genes"]])
        found = recalls(X[large][:, columns], types[large], options.repeats)
        row = {
            "panel": name,
            "recall": f"{np.mean(found):.4f}",
            "standard error": f"{np.std(found) / np.sqrt(len(found)):.4f}",
            "repeats": options.repeats,
            "overlap": f"{overlap.share(columns):.4f}",
            "genes": " ".join(panel["genes"]),
        }
        print(row, flush=True)
        write(Path(options.out), [row])


if __name__ == "__main__":
    main()
