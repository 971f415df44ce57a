"""The README's code runs, its commands run, and its figures are the measured ones."""

import re
import shlex
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from matplotlib import pyplot

ROOT = Path(__file__).resolve().parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")
SET_UP = ("pip install", "make ")  # done before the tests run, or what runs them


def run_elsewhere(text):
    """Run a block where there is neither ipcae nor PyTorch, and keep the labels that it finds."""
    before = "import sys; sys.modules['ipcae'] = sys.modules['torch'] = None\n"
    after = "print(*labels, sep='\\n', file=open('labels.txt', 'w'))\n"
    subprocess.run([sys.executable, "-c", before + text + after], check=True)


def run_blocks(of, folder, monkeypatch):
    """Run the code and the commands of some sections in order, and return the names of the code."""
    monkeypatch.chdir(folder)
    namespace = {}
    for heading, section in re.findall(r"^## (.*?)$(.*?)(?=^## |\Z)", README, flags=re.M | re.S):
        blocks = re.findall(r"^```(python|console)\n(.*?)^```", section, flags=re.M | re.S)
        for kind, text in blocks if of(heading) else ():
            if "onnxruntime" in text:
                run_elsewhere(text)
            elif kind == "python":
                exec(compile(text, "README.md", "exec"), namespace)
            else:
                for line in text.splitlines():
                    run_command(line.removeprefix("$ "))
    return namespace


def run_command(command):
    if command.startswith(SET_UP):
        return
    program, *arguments = shlex.split(command)
    assert program == "ipcae"
    entry = "import sys; from ipcae.cli import main; sys.exit(main())"
    subprocess.run([sys.executable, "-c", entry, *arguments], check=True)


INSTALL, NEWCOMER = "Install", "From a table to a model in use"


@pytest.mark.slow
def test_what_was_installed_works(tmp_path, monkeypatch):
    run_blocks(lambda heading: heading == INSTALL, tmp_path, monkeypatch)
    assert (tmp_path / "demo" / "demo.png").stat().st_size > 0


@pytest.mark.slow
def test_a_newcomer_gets_from_a_table_to_a_model_elsewhere(tmp_path, monkeypatch):
    names = run_blocks(lambda heading: heading == NEWCOMER, tmp_path, monkeypatch)
    assert (tmp_path / "panel" / "report.html").stat().st_size > 10_000
    selected = (tmp_path / "panel" / "selected.txt").read_text().splitlines()
    assert len(selected) == 4
    assert sorted(names["selector"].get_feature_names_out()) == sorted(selected)
    predictions = pd.read_csv(tmp_path / "predictions.csv")["prediction"].astype(str).tolist()
    assert len(predictions) == 28
    assert (tmp_path / "labels.txt").read_text().split() == predictions
    assert (tmp_path / "states" / "decoding.checkpoint").exists()


@pytest.mark.slow
def test_the_rest_of_the_code_runs_in_order(tmp_path, monkeypatch):
    names = run_blocks(lambda heading: heading not in (INSTALL, NEWCOMER), tmp_path, monkeypatch)
    pyplot.close("all")
    assert len(names["selector"].get_feature_names_out()) == 4
    assert {path.name for path in tmp_path.iterdir()} == {"logs", "panel.html", "panel.safetensors"}


def table_after(comment):
    """Return the cells of the table that follows a comment, by the first cell of their row."""
    lines = README.split(f"<!-- {comment}", 1)[1].splitlines()[3:]
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
