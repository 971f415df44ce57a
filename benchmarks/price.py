"""Measure the effect of feature prices in a concrete method with a budget.

    python benchmarks/price.py            # print benchmarks/price.csv
    python benchmarks/price.py --record   # write it, in a few minutes

Six informative columns cost 5 each, a noisy copy of each costs 1, and so do thirty columns of
noise. At most eight columns within a budget of 8: only the copies are worth their price.
"""

from __future__ import annotations

import argparse
import csv
from pathlib import Path

import numpy as np

from ipcae import RegressionSelector
from ipcae.selectors import price

PATH = Path(__file__).with_suffix(".csv")
RATES, SEEDS = (0.0, price._RATE), range(4)


def record() -> None:
    """Fit selectors with and without a price, from several seeds."""
    rows = []
    for seed in SEEDS:
        random = np.random.default_rng(seed)
        informative = random.normal(size=(400, 6))
        copies = informative + 0.3 * random.normal(size=informative.shape)
        X = np.column_stack([informative, copies, random.normal(size=(400, 30))])
        y = informative.sum(1)
        for rate in RATES:
            price._RATE = rate
            selector = RegressionSelector(
                8,
                feature_costs=[5.0] * 6 + [1.0] * 36,
                budget=8,
                max_epochs=60,
                learning_rate=3e-3,
                decoder=(32,),
                device="cpu",
                random_state=seed,
            ).fit(X[:300], y[:300])
            found = int(selector.get_support()[6:12].sum())
            rows.append((seed, rate, found, f"{selector.score(X[300:], y[300:]):.3f}"))
    with PATH.open("w", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(("seed", "rate", "copies", "r2"))
        writer.writerows(rows)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--record", action="store_true")
    if parser.parse_args().record:
        record()
    print(PATH.read_text(), end="")
