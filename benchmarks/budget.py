"""Compare ways to choose features within a budget, given a ranking.

    python benchmarks/budget.py            # print the means of benchmarks/budget.csv
    python benchmarks/budget.py --record   # write benchmarks/budget.csv, in about two minutes

Tables of scikit-learn, and one of 40 columns of which six matter, with random costs (log-normal),
budgets of 5, 15 and 30 % of the total cost. A row is the accuracy of a logistic regression on rows
that the ranking did not see.
"""

from __future__ import annotations

import argparse
import csv
import warnings
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import Bounds, LinearConstraint, milp
from sklearn.datasets import load_breast_cancer, load_digits, load_wine
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import StandardScaler

from ipcae.constraints import Constraints
from ipcae.selectors.classical import RANKINGS, Examples
from ipcae.selectors.classical.within_budget import best_within_budget

PATH = Path(__file__).with_suffix(".csv")
METHODS = ("anova", "mutual-information", "random-forest", "elimination", "l1-logistic")
SHARES, SEEDS = (0.05, 0.15, 0.3), range(4)

Array = NDArray[Any]


def planted(return_X_y: bool = True) -> tuple[Array, Array]:
    """Return two classes that depend on six of 40 columns, in the manner of scikit-learn."""
    random = np.random.default_rng(0)
    X = random.normal(size=(2500, 40))
    signal = X[:, :6] @ np.linspace(1, 0.4, 6)
    return X, (signal + 0.7 * random.normal(size=len(X)) > 0).astype(int)


TABLES = {
    "digits": load_digits,
    "breast cancer": load_breast_cancer,
    "wine": load_wine,
    "planted": planted,
}
Way = Callable[[Array, Array, float, Examples], Array]


def in_order(scores: Array, costs: Array, budget: float, examples: Examples) -> Array:
    """Take features in the order of the ranking until the budget is spent."""
    order = np.argsort(-scores, kind="stable")
    return order[np.cumsum(costs[order]) <= budget]


def in_order_skipping(scores: Array, costs: Array, budget: float, examples: Examples) -> Array:
    """Take features in the order of the ranking, and skip those that are too expensive."""
    chosen, left = [], budget
    for feature in np.argsort(-scores, kind="stable"):
        if costs[feature] <= left:
            chosen.append(feature)
            left -= costs[feature]
    return np.array(chosen, dtype=int)


def knapsack_of_scores(scores: Array, costs: Array, budget: float, examples: Examples) -> Array:
    """Maximize the sum of the scores."""
    found = milp(
        -scores / max(scores.max(), 1e-12),
        constraints=[LinearConstraint(costs[None], ub=budget)],
        integrality=np.ones(len(scores)),
        bounds=Bounds(0, 1),
    )
    return np.flatnonzero(found.x > 0.5)


def knapsack_of_ranks(scores: Array, costs: Array, budget: float, examples: Examples) -> Array:
    """Choose a large sum of 1/√rank."""
    return Constraints(len(scores), costs=tuple(costs), budget=budget).best(scores, len(scores))


def knapsack_compared(scores: Array, costs: Array, budget: float, examples: Examples) -> Array:
    """Choose as ipcae does: of several powers of the rank, the one that predicts best."""
    constraints = Constraints(len(scores), costs=tuple(costs), budget=budget)
    return best_within_budget(constraints, scores, len(scores), examples)


def cheapest(scores: Array, costs: Array, budget: float, examples: Examples) -> Array:
    """Take the cheapest features, whatever their scores."""
    return in_order(-costs, costs, budget, examples)


WAYS: tuple[Way, ...] = (
    in_order,
    in_order_skipping,
    knapsack_of_scores,
    knapsack_of_ranks,
    knapsack_compared,
    cheapest,
)


def record() -> None:
    """Measure all ways on all tables."""
    rows = []
    for name, load in TABLES.items():
        X, y = load(return_X_y=True)
        for seed in SEEDS:
            train, test = train_test_split(
                np.arange(len(X)), train_size=0.6, random_state=seed, stratify=y
            )
            train = train[:500]
            varying = X[:, X[train].std(0) > 0]
            inputs = StandardScaler().fit(varying[train]).transform(varying)
            costs = np.random.default_rng(seed).lognormal(size=inputs.shape[1])
            examples = Examples(inputs[train], y[train, None].astype(float), True)
            for share in SHARES:
                n_selected = max(int(share * len(costs)), 1)
                for method in METHODS:
                    scores = RANKINGS[method].scores(examples, n_selected, 0)
                    for way in WAYS:
                        chosen = way(scores, costs, share * costs.sum(), examples)
                        accuracy = np.bincount(y[test]).max() / len(test)
                        if len(chosen):
                            model = LogisticRegression(max_iter=300)
                            model.fit(inputs[train][:, chosen], y[train])
                            accuracy = model.score(inputs[test][:, chosen], y[test])
                        rows.append((name, seed, share, method, way.__name__, f"{accuracy:.4f}"))
    with PATH.open("w", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(("table", "seed", "budget", "method", "way", "accuracy"))
        writer.writerows(rows)


def show() -> None:
    """Print the mean accuracy of every way and budget, on the given and on the planted tables."""
    accuracy = defaultdict(list)
    with PATH.open() as file:
        for row in csv.DictReader(file):
            planted = row["table"] == "planted"
            accuracy[planted, row["way"], row["budget"]].append(float(row["accuracy"]))
    for planted, title in ((False, "scikit-learn"), (True, "planted")):
        print(f"{title:20}", *(f"{share:>8.0%}" for share in SHARES))
        for way in WAYS:
            means = (np.mean(accuracy[planted, way.__name__, str(share)]) for share in SHARES)
            print(f"{way.__name__:20}", *(f"{mean:8.3f}" for mean in means))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--record", action="store_true")
    if parser.parse_args().record:
        warnings.simplefilter("ignore")
        record()
    show()
