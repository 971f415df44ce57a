"""The page about the defaults: its figures are the measured ones, and its code runs."""

from pathlib import Path

import numpy as np
import pandas as pd

from tests.pages import python_blocks

ROOT = Path(__file__).resolve().parents[1]
PAGE = (ROOT / "docs" / "defaults.md").read_text(encoding="utf-8")


def test_the_code_runs():
    (code,) = python_blocks(PAGE)
    exec(compile(code, "defaults.md", "exec"), {})


def table_after(comment):
    """Return the cells of the table that follows a comment, by the first cell of their row."""
    lines = PAGE.split(f"<!-- {comment}", 1)[1].splitlines()[3:]
    rows = {}
    for line in lines:
        if not line.startswith("|"):
            break
        name, *cells = (cell.strip() for cell in line.strip("|").split("|"))
        rows[name] = cells
    return rows


def test_the_table_of_cells_is_what_was_measured():
    measured = pd.read_csv(ROOT / "benchmarks" / "cells.csv")
    held_out = measured[measured["validation"] == "held out"]
    means = held_out.groupby(["dataset", "task"])["value"].mean()
    table = table_after("cells table")
    assert len(table) == 6
    for dataset, cells in table.items():
        accuracy, error = (means[dataset, task] for task in ("classification", "reconstruction"))
        assert cells[1::2] == [f"{accuracy:.2f}", f"{1000 * error:.2f}"], dataset


def test_in_every_measured_run_of_the_defaults_all_features_differ():
    measured = pd.read_csv(ROOT / "benchmarks" / "recipe.csv")
    defaults = measured[measured["config"] == "default"]
    k = np.where(defaults["dataset"] == "mice_protein", 10, 50)
    assert (defaults["features"] == k).all()


def test_the_parity_table_is_what_was_measured():
    measured = pd.read_csv(ROOT / "benchmarks" / "parity.csv")
    cells = measured.groupby(["method", "task"])["value"]
    means, deviations = cells.mean(), cells.std(ddof=0)
    table = table_after("parity table")
    assert len(table) == 2
    for method, (_, accuracy, _, error) in table.items():
        for task, factor, shown in (
            ("classification", 1, accuracy),
            ("reconstruction", 1000, error),
        ):
            mean, deviation = factor * means[method, task], factor * deviations[method, task]
            assert shown == f"{mean:.2f} ± {deviation:.2f}"
