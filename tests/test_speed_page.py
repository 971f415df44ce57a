"""The figures of docs/speed.md are those that were measured."""

import csv
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
STEPS = 11_200


def table():
    rows = re.findall(r"^\| (\d+) \| (\w+) \| (\w+) \| ([\d.]+) \| (\d+) \|$", page(), re.MULTILINE)
    assert rows
    return rows


def page():
    return (ROOT / "docs" / "speed.md").read_text()


def measured():
    with (ROOT / "benchmarks" / "train_gpu.csv").open() as file:
        rows = [row for row in csv.DictReader(file) if row["question"] == "target"]
    return {
        (row["runs"], row["draws"], row["precision"]): float(row["median"])
        for row in rows
        if row["implementation"] == "ipcae"
    }


@pytest.mark.parametrize(("runs", "draws", "precision", "seconds", "per_step"), table())
def test_every_row_was_measured(runs, draws, precision, seconds, per_step):
    median = measured()[runs, draws, precision]
    assert seconds == f"{median:.2f}"
    assert per_step == f"{median / STEPS * 1e6:.0f}"
