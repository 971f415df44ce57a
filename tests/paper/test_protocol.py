"""The protocol: what it shares and what it costs."""

import dataclasses

import pytest

from paper import cost
from paper.cell import Cell, cell
from paper.clock import timings
from paper.items import ITEMS
from paper.protocol import CAE_FAMILY, PAPER, QUICK
from paper.run import owned_cells
from paper.store import RESULTS, Store


def test_everything_took_less_than_seven_minutes_of_a_gpu():
    (whole,) = (one for one in timings(RESULTS) if (one.items, one.methods) == ("all", "all"))
    assert whole.device == "NVIDIA H200"
    assert whole.cells == len(owned_cells(list(ITEMS.values()), PAPER))
    assert whole.seconds < 420


def test_the_estimate_of_the_cost_is_near_what_was_measured():
    timed = ITEMS["run-time"].cells(PAPER)
    seconds = {row.key: row.seconds for row in Store(RESULTS).rows()}
    measured = sum(seconds[cell.key()] for cell in timed)
    assert sum(cost.seconds(cell) for cell in timed) == pytest.approx(measured, rel=0.25)


def test_items_share_the_cells_of_the_tables():
    own = cell(PAPER, "isolet", "reconstruction", "ip-cae")
    for name in ("figure-varying-k", "figure-varying-p", "figure-decoder-depth", "speed-up"):
        assert own in ITEMS[name].cells(PAPER)
    assert owned_cells([ITEMS["figure-varying-k"]], PAPER)[own] == "table-1"


def test_every_setting_of_a_cell_shows_in_its_key():
    plain = Cell("isolet", "classification", "ip-cae", k=50, epochs=200, n_runs=10)
    changes = {
        "k": 25,
        "epochs": 1000,
        "gjsd_weights": (0.05,),
        "embedding": 64,
        "weight": "diagonal",
        "hidden_layers": 2,
        "warm_up_epochs": 25,
        "weight_decay": 0.1,
        "noise_draws": 8,
        "study": "update-norms",
    }
    fields = {field.name for field in dataclasses.fields(Cell)}
    assert fields - {"dataset", "task", "method", "n_runs"} == set(changes)
    for name, value in changes.items():
        assert dataclasses.replace(plain, **{name: value}).settings != plain.settings


def test_the_quick_version_keeps_to_its_two_data_sets():
    cells = owned_cells(list(ITEMS.values()), QUICK)
    assert {cell.dataset for cell in cells} == {"mice_protein", "coil20"}
    assert {cell.n_runs for cell in cells if cell.method in CAE_FAMILY} == {3}
