"""How the batches of an epoch are divided into sequences to be captured."""

import pytest

from ipcae.training import Plan
from ipcae.training.batches import batch_sizes
from ipcae.training.epochs import captured
from ipcae.training.epochs.captured import _sequences


@pytest.mark.parametrize("n_rows", [1, 7, 8, 9, 64, 100, 1000])
@pytest.mark.parametrize("batch_size", [1, 8, 128])
@pytest.mark.parametrize("drop_last", [False, True])
def test_sequences_hold_every_batch_in_order(n_rows, batch_size, drop_last):
    sizes = batch_sizes(n_rows, Plan(batch_size=batch_size, drop_last=drop_last))
    found = [size for sequence in _sequences(sizes, 5) for size in sequence]
    assert found == sizes


@pytest.mark.parametrize("n_batches", [1, 7, 11, 13, 56, 97, 1000])
def test_few_kinds_of_sequences_of_few_steps_are_captured(n_batches):
    sequences = _sequences([8] * n_batches + [3], 5)
    assert sequences[-1] == (3,)
    assert len(set(sequences)) <= 3
    assert max(len(sizes) for sizes in sequences) <= 10
    assert len(sequences[0]) >= min(4, n_batches)


def test_no_more_rows_are_staged_than_fit(monkeypatch):
    monkeypatch.setattr(captured, "STAGED_BYTES", 3 * 4 * 8 * 5)
    assert _sequences([8] * 10, 5)[0] == (8, 8)
    monkeypatch.setattr(captured, "STAGED_BYTES", 1)
    assert _sequences([8] * 10, 5)[0] == (8,)
