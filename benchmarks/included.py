"""Compare rankings that adjust for included columns with rankings that do not.

    python benchmarks/included.py            # print the means of benchmarks/included.csv
    python benchmarks/included.py --record   # write it, in a few minutes

Three columns are included, at random or the best by ANOVA, and K others are ranked: as they are, or
by what the included ones do not explain of them. A row is the accuracy of a logistic regression on
rows that the ranking did not see.
"""

from __future__ import annotations

import argparse
import csv
import warnings
from collections import defaultdict
from pathlib import Path

import numpy as np
from sklearn.datasets import load_breast_cancer, load_digits, load_wine
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import StandardScaler

from ipcae.selectors.classical import RANKINGS, Examples
from ipcae.selectors.classical.statistics.unexplained import unexplained

PATH = Path(__file__).with_suffix(".csv")
TABLES = {"digits": load_digits, "breast cancer": load_breast_cancer, "wine": load_wine}
METHODS, COUNTS = ("anova", "mutual-information", "elimination", "group-lasso"), (2, 5)


def record() -> None:
    """Measure all rankings on all tables."""
    rows = []
    for name, load in TABLES.items():
        X, y = load(return_X_y=True)
        for seed in range(3):
            train, test = train_test_split(
                np.arange(len(X)), train_size=0.6, random_state=seed, stratify=y
            )
            train = train[:500]
            varying = X[:, X[train].std(0) > 0]
            inputs = StandardScaler().fit(varying[train]).transform(varying)
            targets, n_features = y[train, None].astype(float), inputs.shape[1]
            best = RANKINGS["anova"].scores(Examples(inputs[train], targets, True), 3, 0)
            random = np.random.default_rng(seed).choice(n_features, 3, replace=False)
            for kind, included in (("random", random), ("best", np.argsort(-best)[:3])):
                others = np.setdiff1d(np.arange(n_features), included)
                ranked = {
                    "as they are": inputs[train][:, others],
                    "unexplained": unexplained(
                        inputs[train][:, others], inputs[train][:, included]
                    ),
                }
                for way, columns in ranked.items():
                    for method in METHODS:
                        scores = np.zeros(len(others))
                        left = columns.any(0)
                        examples = Examples(columns[:, left], targets, True)
                        scores[left] = RANKINGS[method].scores(examples, 3, 0)
                        for count in COUNTS:
                            order = np.argsort(-scores, kind="stable")[:count]
                            chosen = np.concatenate([included, others[order]])
                            model = LogisticRegression(max_iter=300)
                            model.fit(inputs[train][:, chosen], y[train])
                            accuracy = model.score(inputs[test][:, chosen], y[test])
                            rows.append((name, seed, kind, method, count, way, f"{accuracy:.4f}"))
    with PATH.open("w", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(("table", "seed", "included", "method", "k", "way", "accuracy"))
        writer.writerows(rows)


def show() -> None:
    """Print mean accuracies."""
    accuracy = defaultdict(list)
    with PATH.open() as file:
        for row in csv.DictReader(file):
            key = row["method"], row["included"], row["k"], row["way"]
            accuracy[key].append(float(row["accuracy"]))
    for key, values in accuracy.items():
        print(*(f"{part:20}" for part in key), f"{np.mean(values):.3f}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--record", action="store_true")
    if parser.parse_args().record:
        warnings.simplefilter("ignore")
        record()
    show()
