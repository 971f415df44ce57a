"""Which method selects best if rows depend on each other?

    python benchmarks/dependent_rows.py [--kinds linear product ...] [--seeds 3]

Rows come from sessions: all columns share a state of their session, and factors that change slowly
from row to row. Six of 300 columns determine three classes, with noise. Methods select K = 10
columns on 24 sessions of 250 rows; the columns are judged on 16 other sessions by a support vector
machine and extra trees. ``har`` are people of har instead, a fifth of them held out, with K = 50;
``har-rows`` are random rows of the same people. ``effective`` is the effective number of
independent rows, estimated from blocks of consecutive rows.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
from rows import new_parser, parse, write
from sklearn.ensemble import ExtraTreesClassifier
from sklearn.model_selection import train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from ipcae import ClassificationSelector
from ipcae.selectors import Backward, Shortlist, effective_rows
from ipcae.selectors.dependent_rows import consecutive_blocks

Parts = tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]
METHODS: dict[str, Any] = {
    "default": None,
    "backward": "backward",
    "ip-cae": "ip-cae",
    "shortlist": "shortlist",
    "shortlist of backward": Shortlist(Backward()),
}
SIGNALS: dict[str, Callable[[np.ndarray, np.random.Generator], np.ndarray]] = {
    "linear": lambda z, random: z @ random.normal(size=6),
    "product": lambda z, _: z[:, 0] * z[:, 1] + z[:, 2] * z[:, 3],
    "mixed": lambda z, _: z[:, 0] + z[:, 1] + z[:, 2] * z[:, 3] + np.abs(z[:, 4]),
    "threshold": lambda z, _: 1.0 * (z[:, 0] > 0) * (z[:, 1] > 0) + (z[:, 2] > 1) - (z[:, 3] > 0.5),
}


def sessions(kind: str, seed: int) -> Parts:
    """Return training rows and labels, and those of other sessions."""
    random = np.random.default_rng(seed)
    n_sessions, n_rows, n_columns, n_factors = 40, 250, 300, 30
    session = np.repeat(np.arange(n_sessions), n_rows)
    state = random.normal(size=(n_sessions, 8)) @ random.normal(size=(8, n_columns)) / np.sqrt(8)
    factors = random.normal(size=(len(session), n_factors))
    for t in range(1, len(session)):
        if session[t] == session[t - 1]:
            factors[t] = 0.9 * factors[t - 1] + np.sqrt(1 - 0.9**2) * factors[t]
    loadings = random.normal(size=(n_factors, n_columns)) / np.sqrt(n_factors)
    noise = random.normal(size=(len(session), n_columns))
    X = (0.7 * state[session] + factors @ loadings + 0.7 * noise).astype(np.float32)
    signal = SIGNALS[kind](X[:, random.choice(n_columns, 6, replace=False)], random)
    signal = signal + 0.5 * signal.std() * random.normal(size=len(signal))
    y = np.digitize(signal, np.quantile(signal, [1 / 3, 2 / 3]))
    seen = session < 24
    return X[seen], y[seen], X[~seen], y[~seen]


def har(kind: str, seed: int) -> Parts:
    """Return rows of har's training people, and rows of others or of the same people."""
    from comparison import sources

    X, _, y, _ = sources.large("har")
    if kind == "har-rows":
        rows, others = train_test_split(
            np.arange(len(X)), test_size=0.3, stratify=y, random_state=seed
        )
        rows.sort()
    else:
        people = sources.people("har")
        held_out = np.random.default_rng(seed).permutation(np.unique(people))[::5]
        others = np.flatnonzero(np.isin(people, held_out))
        rows = np.setdiff1d(np.arange(len(X)), others)
    return X[rows], y[rows], X[others], y[others]


def measured(kind: str, seed: int) -> Iterator[dict[str, Any]]:
    """Yield the row of every method."""
    X, y, X_new, y_new = sessions(kind, seed) if kind in SIGNALS else har(kind, seed)
    effective = effective_rows(X, consecutive_blocks(y))
    for name, method in METHODS.items():
        began = time.process_time()
        selector = ClassificationSelector(
            10 if kind in SIGNALS else 50, method=method, max_epochs=60, random_state=seed
        ).fit(X, y)
        seconds = time.process_time() - began
        columns = selector.get_support(indices=True)
        judges = make_pipeline(StandardScaler(), SVC()), ExtraTreesClassifier(100, random_state=0)
        svm, trees = (
            100 * judge.fit(X[:, columns], y).score(X_new[:, columns], y_new) for judge in judges
        )
        yield {
            "kind": kind,
            "seed": seed,
            "method": name,
            "used": selector.method_ if isinstance(selector.method_, str) else name,
            "effective": effective,
            "svm": f"{svm:.2f}",
            "trees": f"{trees:.2f}",
            "decoder": f"{100 * selector.score(X_new, y_new):.2f}",
            "cpu_seconds": f"{seconds:.1f}",
        }


def main() -> None:
    """Measure all kinds."""
    parser = new_parser(__doc__, "dependent_rows.csv")
    parser.add_argument("--kinds", nargs="+", default=[*SIGNALS, "har", "har-rows"])
    parser.add_argument("--seeds", type=int, default=3)
    options = parse(parser, ["tests/selectors/test_dependent_rows.py"])
    for seed in range(options.seeds):
        for kind in options.kinds:
            for row in measured(kind, seed):
                write(Path(options.out), [row])
                print(*row.values(), flush=True)


if __name__ == "__main__":
    main()
