"""Two processes give the result of one: exactly if runs are spread, up to rounding if rows are."""

import pickle

import numpy as np
import pytest

from ipcae.distributed import spread
from ipcae.errors import InputError
from tests.distributed.fits import CLASSES, FITS, X, classifier, fitted

EXACT = [
    "runs",
    "a network of the user",
    "fewer runs than processes",
    "screening",
    "cross-validation",
]


@pytest.fixture(scope="module")
def found(on_two, tmp_path_factory):
    """The results of both processes."""
    folder = tmp_path_factory.mktemp("fits")
    for code, output in on_two("-m", "tests.distributed.fits", folder):
        assert code == 0, output
    return [pickle.loads((folder / f"process-{rank}").read_bytes()) for rank in (0, 1)]


@pytest.mark.parametrize("name", EXACT)
def test_spread_runs_give_exactly_the_result_of_one_process(found, name):
    alone = fitted(name)
    for process in found:
        np.testing.assert_equal(process[name], alone)


@pytest.mark.parametrize("name", ["rows", "rows with one draw each"])
def test_spread_rows_give_the_result_of_one_process_up_to_rounding(found, name):
    alone = fitted(name)
    first, second = (process[name] for process in found)
    np.testing.assert_equal(first, second)
    np.testing.assert_array_equal(first["support"], alone["support"])
    np.testing.assert_allclose(first["losses"], alone["losses"], rtol=1e-4)
    for tensor, expected in zip(first["tensors"].values(), alone["tensors"].values(), strict=True):
        np.testing.assert_allclose(tensor, expected, atol=1e-3)


def test_rounding_is_what_differs_between_spread_rows_and_one_process(found):
    # Other noise would change the losses of the first epoch by far more than 1e-5.
    assert fitted("rows")["history"]["value"][:4] == pytest.approx(
        found[0]["rows"]["history"]["value"][:4], rel=1e-5
    )


def test_processes_without_a_seed_draw_the_same_one(found):
    first, second = (process["runs without a seed"] for process in found)
    np.testing.assert_equal(first, second)


def test_statistics_of_a_batch_cannot_be_spread(found):
    assert "batch norm" in found[0]["batch norm of rows"]


def test_processes_with_different_rows_are_refused(found):
    for process in found:
        assert process["different rows"].startswith("Processes 0 and 1 were given different data")


def test_wrong_input_is_reported_by_one_process(found):
    assert [process["wrong input"] for process in found] == [InputError, SystemExit]


def test_a_single_process_is_not_changed_by_spread():
    with spread("rows") as processes:
        spread_out = classifier(n_runs=1, max_epochs=2).fit(X, CLASSES)
    assert (processes.size, processes.first) == (1, True)
    alone = classifier(n_runs=1, max_epochs=2).fit(X, CLASSES)
    np.testing.assert_array_equal(spread_out.validation_loss_, alone.validation_loss_)


def test_what_cannot_be_spread_is_refused():
    with pytest.raises(InputError, match="expected 'runs' or 'rows'"), spread("columns"):
        pass


def test_every_fit_is_compared():
    assert {*EXACT, "rows", "rows with one draw each"} < set(FITS)
