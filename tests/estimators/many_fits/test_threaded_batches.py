"""Batches of variants that are trained in several threads give the results of one thread."""

import threading

import numpy as np
import pytest
import torch

from ipcae import ClassificationSelector, SelectorCV
from ipcae.decoders import CustomDecoder
from ipcae.estimators.many_fits import threaded_batches, variant_batches
from ipcae.estimators.many_fits.variants import _VariantFitter
from ipcae.ops.concrete_select import in_parts
from ipcae.selectors import Anova, Shortlist
from tests.threads import ctrl_c_in_second_epoch, noted_threads


@pytest.fixture
def two_threads(monkeypatch):
    """Let every fold be a batch, and even small steps deserve a thread; list who trained."""
    monkeypatch.setattr(variant_batches, "_WORK_OF_OVERHEAD", 0)
    with noted_threads(monkeypatch, 2, _VariantFitter, "fit") as used:
        yield used


@pytest.fixture(scope="module")
def table():
    X = np.random.default_rng(0).normal(size=(100, 8))
    return X, (X[:, 3] > 0).astype(int)


def _search(table, **settings):
    given = {"method": "ip-cae", "max_epochs": 3, "decoder": (8,), "random_state": 0} | settings
    selector = ClassificationSelector(device="cpu", **given)
    search = SelectorCV(selector, n_features_to_select=[2], cv=5, refit=False, n_runs=2)
    return search.fit(*table)


def _scores(search):
    return {key: value for key, value in search.cv_results_.items() if "score" in key}


@pytest.mark.parametrize("most", [2, 8])
def test_the_results_are_those_of_one_thread(table, two_threads, monkeypatch, most):
    monkeypatch.setattr(threaded_batches, "_MOST_TOGETHER", most)
    together = _search(table)
    # Two at a time: the last of the five folds is divided among the threads.
    last = {2: 2, 8: 1}[most]
    assert [n_threads for _, n_threads in two_threads] == [1, 1, 1, 1, last]
    torch.set_num_threads(1)
    alone = _search(table)
    torch.set_num_threads(2)
    np.testing.assert_equal(_scores(together), _scores(alone))


def test_folds_that_take_turns_share_their_random_numbers(table, two_threads, monkeypatch):
    drawn, draw = [], in_parts.gumbel_from_bits
    monkeypatch.setattr(in_parts, "gumbel_from_bits", lambda bits: drawn.append(1) or draw(bits))
    _search(table)
    together = len(drawn)
    torch.set_num_threads(1)
    _search(table)
    torch.set_num_threads(2)
    # The last batches of an epoch differ in size, which not all of them can share.
    assert len(drawn) - together > 2 * together > 0


def test_two_batches_train_at_the_same_time(table, two_threads, monkeypatch):
    monkeypatch.setattr(threaded_batches, "_MOST_TOGETHER", 2)
    meeting, fit = threading.Barrier(2, timeout=60), _VariantFitter.fit

    def waiting(*arguments):
        if torch.get_num_threads() == 1:
            meeting.wait()
        return fit(*arguments)

    monkeypatch.setattr(_VariantFitter, "fit", waiting)
    _search(table)
    assert len({thread for thread, _ in two_threads}) == 2


def test_the_progress_is_that_of_all_batches(table, two_threads, capsys):
    _search(table, verbose=1)
    lines = [line.split() for line in capsys.readouterr().err.splitlines()]
    shown = [int(line[1].removesuffix("/15")) for line in lines]
    assert shown == sorted(shown)
    assert shown[-1] == 15
    assert [line[-1] for line in lines].count("elapsed") == 1


def test_rankings_and_parts_of_the_user_are_trained_in_the_calling_thread(table, two_threads):
    network = CustomDecoder(lambda n, m: torch.nn.Linear(n, m))
    _search(table, decoder=network, max_epochs=1)
    _search(table, callbacks=[lambda report: None], max_epochs=1)
    _search(table, method=Shortlist(ranking=Anova(), alternatives=()), max_epochs=1)
    assert {n_threads for _, n_threads in two_threads} == {2}
    assert len(two_threads) == 15


@pytest.mark.filterwarnings("ignore:Training was interrupted")
def test_ctrl_c_ends_all_batches(table, two_threads, monkeypatch):
    monkeypatch.setattr(threaded_batches, "_MOST_TOGETHER", 2)
    with ctrl_c_in_second_epoch(monkeypatch), pytest.raises(KeyboardInterrupt):
        _search(table, max_epochs=100_000, early_stopping=False)
    assert len(two_threads) == 2


@pytest.mark.parametrize("n_together", [2, 4])
def test_an_error_in_a_thread_is_raised(two_threads, n_together):
    def failing(number):
        if number == 1:
            raise ArithmeticError("in a batch")
        return number

    with pytest.raises(ArithmeticError, match="in a batch"):
        threaded_batches.fit_each(failing, [0, 1, 2, 3], 2, n_together)
