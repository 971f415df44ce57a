"""Reconstruct all columns from K of them, on small tables and on few rows of large ones."""

from __future__ import annotations

from sklearn.model_selection import train_test_split

from comparison import judges, sources
from comparison.cells import Cell, Row, timed
from comparison.methods import checked, selection_of
from comparison.parts import rows_needed


def problems() -> list[str]:
    """Return the names of the problems."""
    return [*sources.small_names(), *rows_needed.problems()]


def sizes(problem: str) -> tuple[int, ...]:
    """Return the numbers of features to select."""
    return (10,) if problem.startswith("mice_protein") else (10, 50)


def measure(cell: Cell, development: bool) -> Row:
    """Return the variance that a ridge regression on the selected columns explains."""
    if ":" in cell.problem:
        X, X_test, _, _ = rows_needed.drawn(cell.problem, cell.split)
    else:
        X, _ = sources.small_table(cell.problem)
        X, X_test = train_test_split(X, test_size=0.3, random_state=cell.split)
        if development:
            X, X_test = train_test_split(X, test_size=0.3, random_state=100 + cell.split)
    select = selection_of(cell.method, "reconstruction")
    chosen, seconds = timed(select, X, None, cell.selected, cell.split)
    chosen = checked(chosen, cell.selected, cell.method)
    return judges.as_row({"ridge": judges.explained(X, X_test, chosen)}, seconds)
