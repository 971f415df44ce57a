"""How the batches of an epoch are divided into sequences to be captured."""

import pytest

from ipcae.training import Plan
from ipcae.training.batches import count_batches
from ipcae.training.epochs import captured
from ipcae.training.epochs.captured import _sequences


@pytest.mark.parametrize("n_rows", [1, 7, 8, 9, 64, 100, 1000])
@pytest.mark.parametrize("batch_size", [1, 8, 128])
@pytest.mark.parametrize("drop_last", [False, True])
def test_sequences_hold_every_batch_in_order(n_rows, batch_size, drop_last):
    plan = Plan(batch_size=batch_size, drop_last=drop_last)
    n_batches = count_batches(n_rows, plan)
    found = [size for sizes in _sequences(n_rows, 5, n_batches, batch_size) for size in sizes]
    starts = range(0, n_batches * batch_size, batch_size)
    assert found == [min(batch_size, n_rows - start) for start in starts]


@pytest.mark.parametrize("n_batches", [1, 7, 11, 13, 56, 97, 1000])
def test_few_kinds_of_sequences_of_few_steps_are_captured(n_batches):
    sequences = _sequences(n_batches * 8 + 3, 5, n_batches + 1, 8)
    assert sequences[-1] == (3,)
    assert len(set(sequences)) <= 3
    assert max(len(sizes) for sizes in sequences) <= 10
    assert len(sequences[0]) >= min(4, n_batches)


def test_no_more_rows_are_staged_than_fit(monkeypatch):
    monkeypatch.setattr(captured, "STAGED_BYTES", 3 * 4 * 8 * 5)
    assert _sequences(80, 5, 10, 8)[0] == (8, 8)
    monkeypatch.setattr(captured, "STAGED_BYTES", 1)
    assert _sequences(80, 5, 10, 8)[0] == (8,)
