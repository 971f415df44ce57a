"""Compare the decoders that selectors of small tables train with those that are adapted to them.

    python benchmarks/own_decoder.py FOLDER [--half development] [--jobs 2]
    python benchmarks/own_decoder.py --show

FOLDER contains the tables of ``own_decoder_list.csv`` (``own_decoder_files.py`` writes them) and of
``wide_tables_list.csv`` (``wide_tables_files.py``), as far as they have at most 650 rows; tables
that are not there are left out. The halves were drawn at random before anything was measured, with
tables of the same source in the same half. Generated tables have other seeds in each half.

``usual`` is the decoder of the task, ``adapted`` the default. ``own`` is the accuracy or R² of the
selector in percent on the other rows, ``log_loss`` its loss, and ``kind`` what the decoder became.
The four judges of ``wide_tables.py`` are trained on the same columns.

``own_decoder_rules.csv`` has the trials that the rule was chosen by (code not kept): decoders that
were trained on the same columns, and by how much the errors of the corresponding kernel ridge
regression on held-out rows are smaller than those of the usual inputs.
"""

from __future__ import annotations

import time
import warnings
from functools import lru_cache
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np
import pandas as pd
import torch
import wide_tables
from comparison.parts import further, unusual
from missing_rows import measure_missing, read_rows
from own_decoder_summary import tables, trials
from real_tables_split import Split
from real_tables_summary import WIDE_LIST
from rows import commit
from sklearn.metrics import log_loss, r2_score
from sklearn.model_selection import train_test_split
from table_halves import KEY, cases_of, parse_halves
from wide_tables import JUDGES, judged, n_selected_of

from ipcae import ClassificationSelector, RegressionSelector

TRIALS = Path(__file__).with_name("own_decoder_rules.csv")
OWN_LIST = Path(__file__).with_name("own_decoder_list.csv")
METHODS = "usual", "adapted"
MOST_ROWS = 650
SEEDS = {"development": 7000, "confirmation": 8000}
GENERATED = {
    **{name: getattr(further, name) for name in ("spectra", "concentration", "block_numbers")},
    **{name: getattr(further, name) for name in ("blocks", "crowd", "shares", "products", "steps")},
    **{name: getattr(unusual, name) for name in ("chain", "tiny", "waves", "skewed")},
    **{name: getattr(unusual, name) for name in ("wide_numbers", "uncorrelated")},
    "outlying_target": unusual.outlying_target,
}


def generated(name: str, seed: int) -> Split:
    """Return a split of a generated table; its name ends in the half."""
    kind, half = name.removeprefix("generated-").rsplit("-", 1)
    X, y = (np.asarray(part) for part in GENERATED[kind](SEEDS[half] + seed)[:2])
    classes = y.dtype.kind in "iub"
    frame = pd.DataFrame(X.astype(float)).rename(columns=str)
    train, test, y, y_test = train_test_split(
        frame, y, test_size=0.3, random_state=seed, stratify=y if classes else None
    )
    middle, scale = train.mean(), train.std(ddof=0).clip(1e-9)
    numbers = tuple(((part - middle) / scale).to_numpy() for part in (train, test))
    inputs = numbers[0], np.clip(numbers[1], -20, 20)
    return Split(classes, (train, test), (y, y_test), inputs, np.arange(X.shape[1]))


@lru_cache(maxsize=1)
def split_of(name: str, seed: int) -> Split:
    """Return a split of a table."""
    if name.startswith("generated-"):
        return generated(name, seed)
    listed = [each for path in (OWN_LIST, WIDE_LIST) for each in read_rows(path)]
    with patch.object(wide_tables, "read_rows", lambda path: listed):
        return wide_tables.split_of(name, seed)


def scored(split: Split, method: str, n_selected: int, seed: int) -> tuple[Any, dict[str, str]]:
    """Return a fitted selector, and how well it predicts the test rows."""
    kind = ClassificationSelector if split.classes else RegressionSelector
    missing = "impute" if split.tables[0].isna().any(axis=None) else "error"
    decoder: Any = "auto"
    if method == "usual":
        task = kind(1)._task
        few = len(split.tables[0]) < 300
        decoder = (task.small_decoder if few else None) or task.decoder
    selector = kind(n_selected, decoder=decoder, missing=missing, random_state=seed)
    start = time.process_time()
    selector.fit(split.tables[0], split.targets[0])
    seconds = time.process_time() - start
    X, y = split.tables[1], split.targets[1]
    loss = ""
    if split.classes:
        own = float(selector.score(X, y))
        loss = f"{log_loss(y, selector.predict_proba(X), labels=selector.classes_):.4f}"
    else:
        own = max(r2_score(y, selector.predict(X)), -1.0)
    found = {"own": f"{100 * own:.2f}", "log_loss": loss, "seconds": f"{seconds:.2f}"}
    return selector, {**found, "kind": selector.decoders_[0], "used": str(selector.method_)}


def measure(case: dict[str, Any]) -> dict[str, Any]:
    """Return the row of one fit."""
    torch.set_num_threads(1)
    warnings.simplefilter("ignore")
    split = split_of(case["table"], case["seed"])
    n_rows, n_columns = split.tables[0].shape
    n_selected = n_selected_of(case["K"], n_columns)
    selector, found = scored(split, case["method"], n_selected, case["seed"])
    judges = judged(split, selector.get_support(indices=True), case["seed"])
    return {
        **case,
        "rows": n_rows,
        "columns": n_columns,
        "selected": n_selected,
        "predicts": "classes" if split.classes else "numbers",
        **{name: f"{score:.2f}" for name, score in zip(JUDGES, judges, strict=True)},
        **found,
        "commit": commit(),
    }


def is_small(folder: Path, name: str) -> bool:
    """Return whether the folder has the table, with few rows."""
    path = folder / f"{name}.parquet"
    return path.exists() and len(pd.read_parquet(path, columns=["response"])) <= MOST_ROWS


def main() -> None:
    """Measure the cases that are missing in the file, or show the results."""
    options = parse_halves(__doc__, "own_decoder.csv", METHODS, ("5", "25"))
    path = Path(options.out)
    if options.show:
        return print(*tables(read_rows(path)), "", *trials(read_rows(TRIALS)), sep="\n")
    wide_tables.FOLDER = options.folder
    cases = [case for listed in (OWN_LIST, WIDE_LIST) for case in cases_of(options, listed)]
    cases = [case for case in cases if is_small(options.folder, case["table"])]
    halves = [half for half in SEEDS if options.half in (half, "both")]
    cases += [
        dict(zip(KEY, (f"generated-{kind}-{half}", seed, count, method), strict=True))
        for half in halves
        for seed in options.seeds
        for kind in GENERATED
        for count in options.K
        for method in options.methods
        if not options.tables
    ]
    return measure_missing(path, KEY, cases, measure, options.jobs)


if __name__ == "__main__":
    main()
