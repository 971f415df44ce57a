"""The tables of results."""

from paper.cell import Cell
from paper.records import Curve, Row
from paper.store import Store

CELL = Cell("isolet", "classification", "cae", k=50, epochs=200, n_runs=2)


def rows(cell, value=1.0, runs=2):
    origin = ("0", "cpu", 1.5)
    return [Row(*cell.key(), run, "test_accuracy", value, *origin) for run in range(runs)]


def test_what_was_added_is_read_back(tmp_path):
    store = Store(tmp_path)
    curves = [Curve(*CELL.key(), "gjsd", "mean", 2, (1.0, 0.25))]
    store.add("table-2", CELL, rows(CELL), curves)
    assert Store(tmp_path).rows() == rows(CELL)
    assert Store(tmp_path).curves() == curves
    assert store.unfinished([CELL]) == []


def test_a_cell_with_too_few_runs_is_unfinished(tmp_path):
    store = Store(tmp_path)
    store.add("table-2", CELL, rows(CELL, runs=1), [])
    assert store.unfinished([CELL]) == [CELL]


def test_a_cell_with_more_runs_than_asked_is_finished_and_kept(tmp_path):
    store = Store(tmp_path)
    store.add("table-2", CELL, rows(CELL, runs=5), [])
    assert store.unfinished([CELL]) == []


def test_new_results_replace_old_ones_whichever_table_held_them(tmp_path):
    store = Store(tmp_path)
    store.add("table-2", CELL, rows(CELL, 1.0), [])
    store.add("figure-varying-k", CELL, rows(CELL, 2.0), [])
    assert store.rows() == rows(CELL, 2.0)


def test_scratch_files_of_a_killed_run_are_removed(tmp_path):
    (tmp_path / "curves").mkdir()
    scratch = tmp_path / "curves" / ".table-2.csv.12ab.part"
    scratch.write_text("half a ta")
    store = Store(tmp_path)
    store.add("table-2", CELL, rows(CELL), [])
    assert not scratch.exists()


def test_the_order_of_finishing_does_not_show(tmp_path):
    other = Cell("coil20", "classification", "cae", k=50, epochs=200, n_runs=2)
    first, second = Store(tmp_path / "1"), Store(tmp_path / "2")
    for store, cells in ((first, (CELL, other)), (second, (other, CELL))):
        for cell in cells:
            store.add("table-2", cell, rows(cell), [])
    assert first.rows() == second.rows()
