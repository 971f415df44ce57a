"""Reconstruct all columns from K of them, on small tables and on few rows of large ones."""

from __future__ import annotations

from sklearn.model_selection import train_test_split

from comparison import judges, sources
from comparison.cells import Cell, Row, timed
from comparison.methods import fitted
from comparison.parts import rows_needed


def problems() -> dict[str, tuple[int, ...]]:
    """Return the numbers of features to select, by table."""
    names = [*sources.small_names(), *rows_needed.problems()]
    return {name: (10,) if name.startswith("mice_protein") else (10, 50) for name in names}


def measure(cell: Cell, development: bool) -> Row:
    """Return the variance that a ridge regression and the selector's own decoder explain."""
    if ":" in cell.problem:
        X, X_test, _, _ = rows_needed.drawn(cell.problem, cell.split)
    else:
        X, _ = sources.small_table(cell.problem)
        X, X_test = train_test_split(X, test_size=0.3, random_state=cell.split)
        if development:
            X, X_test = train_test_split(X, test_size=0.3, random_state=100 + cell.split)
    selector, seconds = timed(
        fitted, cell.method, "reconstruction", X, None, cell.selected, cell.split
    )
    found = {
        "ridge": judges.explained(X, X_test, selector.get_support(indices=True)),
        "decoder": 100 * selector.score(X_test),
    }
    return judges.as_row(found, seconds)
