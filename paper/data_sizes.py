"""Sizes of a data set."""

from __future__ import annotations

from paper.cell import Cell
from paper.records import Curve
from paper.splits import Rows


def count_rows(cell: Cell, rows: Rows, device: str) -> tuple[list[dict[str, float]], list[Curve]]:
    """Count rows, features and classes."""
    figures = {
        "samples": len(rows.y_train) + len(rows.y_val) + len(rows.y_test),
        "features": rows.X_train.shape[1],
        "selected": cell.k,
        "classes": len({*rows.y_train.tolist(), *rows.y_val.tolist(), *rows.y_test.tolist()}),
    }
    return [figures], []
