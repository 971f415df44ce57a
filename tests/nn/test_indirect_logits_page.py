"""The code of docs/how-to/indirect-logits.md runs, and its figures are those of measured rows."""

import csv
import re
from pathlib import Path

import numpy as np
import pytest

from ipcae.parametrizations import Direct, Full
from tests.pages import python_blocks

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "how-to" / "indirect-logits.md"


@pytest.fixture(scope="module")
def page():
    return PAGE.read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def namespace(page):
    """Run the page's blocks in order, with fewer steps."""
    names = {}
    for block in python_blocks(page):
        shorter = block.replace("n_steps=40)", "n_steps=20)")
        exec(compile(shorter, PAGE.name, "exec"), names)
    return names


def rows_of(name):
    with (ROOT / "benchmarks" / name).open(newline="") as file:
        return list(csv.DictReader(file))


def test_codes_are_learned(namespace):
    errors = namespace["errors"]
    assert len(errors) == 2
    assert errors[-1] < 0.1


def test_a_hard_circuit_computes_bits(namespace):
    circuit, X = namespace["circuit"].eval(), namespace["X_test"]
    outputs = circuit(X)
    assert outputs.shape == (len(X), 300)
    assert set(outputs.unique().tolist()) <= {0.0, 1.0}


def test_every_function_of_two_bits_is_a_polynomial(namespace):
    for number, c in enumerate(namespace["COEFFICIENTS"].tolist()):
        for row, (a, b) in enumerate([(0, 0), (0, 1), (1, 0), (1, 1)]):
            assert c[0] + c[1] * a + c[2] * b + c[3] * a * b == number >> row & 1


def test_the_errors_of_the_codes_are_those_of_ten_seeds(page):
    for name in ("direct", "indirect"):
        own = [row for row in rows_of("codes.csv") if row["parametrization"] == name]
        assert sorted(int(row["seed"]) for row in own) == list(range(10))
        curves = np.array([[float(value) for value in row["error"].split()] for row in own])
        shown = [f"{c.mean():.1f} ± {c.std():.1f}" for c in curves[:, [9, 19, 29]].T]
        assert f"| {name} | {own[0]['learning_rate']} | {' | '.join(shown)} |" in page


# One row where indirect logits are better, and one where they fail.
@pytest.mark.parametrize("learning_rate", [0.03, 0.3])
def test_the_table_of_learning_rates_is_what_the_page_computes(page, namespace, learning_rate):
    row = re.search(rf"^\| 300 \| {learning_rate} \|(.*)\|(.*)\|$", page, flags=re.MULTILINE)
    cells = [[float(n) for n in cell.split("(")[0].split("±")] for cell in row.groups()]
    for parametrization, (mean, deviation) in zip((Direct(), Full()), cells, strict=True):
        error = namespace["fit_codes"](parametrization, learning_rate, seed=1)[-1]
        # One seed against the mean of five, on any machine.
        assert 1000 * error == pytest.approx(mean, abs=4 * deviation + 0.2)


def test_the_accuracies_of_the_circuits_are_those_of_the_rows(page):
    for row in rows_of("logic_circuit.csv"):
        curve = [float(value) for value in row["validation_accuracy"].split()]
        shown = [f"{100 * v:.1f}" for v in (curve[4], curve[-1], float(row["test_accuracy"]))]
        rate = f"{float(row['learning_rate']):g}"
        assert f"| {row['parametrization']} | {rate} | {' | '.join(shown)} |" in page
