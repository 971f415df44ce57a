"""Every item runs, and shows what was measured."""

import re
from dataclasses import replace

import numpy as np
import pytest

from paper.items import ITEMS
from paper.protocol import CAE_FAMILY, TASKS, TITLES, Protocol
from paper.results import Results
from paper.run import owned_cells, run_items
from paper.show import show_item
from paper.store import Store

TINY = Protocol(
    datasets=("mice_protein",),
    study="mice_protein",
    n_runs=2,
    epochs=4,
    extended_epochs=6,
    gjsd_weights=(0.005, 0.05),
    noise_draws=1,
    selected=(5, 10),
    embeddings=(4,),
    warm_up_epochs=(2,),
    weight_decays=(0.1,),
)


@pytest.fixture(scope="module")
def store(tmp_path_factory, splits):
    store = Store(tmp_path_factory.mktemp("results"))
    items = list(ITEMS.values())
    run_items(items, TINY, store, splits, "cpu", methods="cae-family")
    return store


def test_every_method_of_both_tables_runs_and_is_shown(tmp_path, splits, capsys):
    protocol = replace(TINY, n_runs=1, epochs=2)
    store, tables = Store(tmp_path), [ITEMS["table-1"], ITEMS["table-2"]]
    run_items(tables, protocol, store, splits, "cpu")
    results = Results(store.rows())
    for item, task in zip(tables, TASKS, strict=True):
        capsys.readouterr()
        show_item(item, protocol, store)
        shown = capsys.readouterr().out
        by_method = {own.method: own for own in item.cells(protocol)}
        assert set(by_method) == set(protocol.methods(task))
        for method, own in by_method.items():
            assert np.isfinite(results.test(own)).all()
            assert f"| {TITLES[method]} " in shown


def test_every_cell_of_the_cae_family_is_finished_and_stored_once(store):
    cells = [c for c in owned_cells(list(ITEMS.values()), TINY) if c.method in CAE_FAMILY]
    assert store.unfinished(cells) == []
    rows = store.rows()
    assert len({(row.key, row.run, row.metric) for row in rows}) == len(rows)


@pytest.mark.parametrize("name", [name for name, item in ITEMS.items() if item.table])
def test_a_table_shows_the_means_that_were_measured(store, name, capsys):
    show_item(ITEMS[name], TINY, store)
    shown = capsys.readouterr().out
    assert "| " in shown
    if name in ("table-1", "table-2"):
        results = Results(store.rows())
        cae = next(c for c in ITEMS[name].cells(TINY) if c.method == "cae")
        factor = 1000 if name == "table-1" else 1
        assert f"{factor * results.test(cae).mean():.2f} ±" in shown


@pytest.mark.parametrize("name", [name for name, item in ITEMS.items() if item.draw])
def test_a_figure_is_drawn(store, name, capsys, tmp_path):
    show_item(ITEMS[name], TINY, store, tmp_path)
    assert (tmp_path / f"{name}.png").stat().st_size > 5000
    assert "<svg" in (tmp_path / f"{name}.svg").read_text()


def test_lambda_is_the_one_with_the_lowest_validation_loss(store, capsys):
    results = Results(store.rows())
    own = next(c for c in ITEMS["gjsd-settings"].cells(TINY) if c.method == "gjsd")
    losses = {}
    for row in store.rows():
        if row.key[:3] == own.key()[:3] and row.metric == "validation_loss":
            losses.setdefault(row.setting, []).append(row.value)
    assert len(losses) == 2
    assert results.chosen(own) == min(losses, key=lambda setting: sum(losses[setting]))


def test_finished_cells_are_skipped_and_force_trains_them_again(store, splits, capsys):
    speed_up, before = [ITEMS["speed-up"]], {row.seconds for row in store.rows()}
    run_items(speed_up, TINY, store, splits, "cpu")
    assert "4 cells, 4 of them finished" in capsys.readouterr().out
    assert {row.seconds for row in store.rows()} == before
    run_items(speed_up, TINY, store, splits, "cpu", force=True)
    assert len(re.findall(r"^\[\d/4\]", capsys.readouterr().out, flags=re.MULTILINE)) == 4
