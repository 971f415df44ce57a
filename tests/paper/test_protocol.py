"""The protocol: what it shares and what it costs."""

import dataclasses

import pytest

from paper import cost
from paper.cell import Cell, cell
from paper.clock import timings
from paper.items import ITEMS
from paper.protocol import CAE_FAMILY, PAPER, QUICK
from paper.run import owned_cells
from paper.store import RESULTS


def test_everything_of_the_cae_family_took_less_than_eight_minutes_of_a_gpu():
    commands = [one for one in timings(RESULTS) if one.methods == "cae-family"]
    assert {one.device for one in commands} == {"NVIDIA H200"}
    cells = [c for c in owned_cells(list(ITEMS.values()), PAPER) if c.method in CAE_FAMILY]
    assert sum(one.cells for one in commands) >= len(cells)
    assert sum(one.seconds for one in commands) < 480


def test_the_estimate_of_the_cost_is_near_what_was_measured():
    (alone,) = (one for one in timings(RESULTS) if one.items == "run-time")
    estimate = sum(cost.seconds(cell) for cell in ITEMS["run-time"].cells(PAPER))
    assert alone.at_a_time == 1
    assert estimate == pytest.approx(alone.seconds, rel=0.25)


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
