"""Rows are shuffled within windows of several chunks."""

import numpy as np
import pytest
import torch

from ipcae.rows import Rows
from ipcae.sources import ArraySource, MemmapSource, StreamedRows, windowed_order
from ipcae.tables import fit_scaler
from ipcae.training import Plan
from ipcae.training.batches import epoch_batches, epoch_order


def order_of(n_rows, n_chunks, window, seed=0):
    random = np.random.default_rng(seed)
    starts = np.arange(0, n_rows, -(-n_rows // n_chunks))
    keys = [torch.from_numpy(random.random(n)) for n in (len(starts), n_rows)]
    return starts, windowed_order(torch.from_numpy(starts), window, *keys).numpy()


def test_every_row_comes_once():
    _, order = order_of(1003, 40, 100)
    assert np.array_equal(np.sort(order), np.arange(1003))


def test_a_window_reads_few_chunks_from_everywhere():
    starts, order = order_of(10_000, 100, 500)
    chunks = np.searchsorted(starts, order, side="right").reshape(20, 500)
    assert max(len(np.unique(window)) for window in chunks) <= 6
    spread = [np.ptp(np.unique(window)) for window in chunks]
    assert np.mean(spread) > 30  # random chunks, not neighbors


def test_windows_differ_between_epochs():
    rows = StreamedRows.of(MemmapSource(np.zeros((640, 2))).with_window(16 * 64), None, None)
    first, second = (epoch_order(rows, Plan(batch_size=16), epoch) for epoch in (0, 1))
    assert not torch.equal(first, second)
    assert set(first[:64].tolist()) != set(second[:64].tolist())


@pytest.mark.parametrize("source", [ArraySource, MemmapSource])
def test_one_window_has_the_order_of_rows_in_memory(source):
    X = np.arange(200.0)[:, None]
    in_memory, plan = Rows(torch.from_numpy(X)), Plan(batch_size=32)
    streamed = StreamedRows.of(source(X), None, None)
    assert torch.equal(epoch_order(streamed, plan, 3), epoch_order(in_memory, plan, 3))


@pytest.mark.parametrize("shuffle", [True, False])
@pytest.mark.parametrize("drop_last", [True, False])
def test_batches_have_the_rows_targets_and_weights_of_their_order(shuffle, drop_last):
    X = np.arange(50.0)[:, None]
    targets, weights = torch.arange(50), torch.arange(50.0)
    streamed = StreamedRows.of(MemmapSource(X).with_window(8 * 20), targets, weights)
    plan = Plan(batch_size=8, shuffle=shuffle, drop_last=drop_last)
    batches = list(epoch_batches(streamed, plan, 0))
    assert [len(batch) for batch in batches] == [8] * 6 + ([] if drop_last else [2])
    for batch in batches:
        assert torch.equal(batch.inputs[:, 0].long(), batch.targets)
        assert torch.equal(batch.weights.long(), batch.targets)
    seen = torch.cat([batch.targets for batch in batches])
    assert len(seen.unique()) == len(seen)
    assert shuffle or torch.equal(seen, torch.arange(len(seen)))


@pytest.mark.parametrize("shuffle", [True, False])
def test_rows_that_a_device_keeps_come_in_the_same_batches(shuffle):
    X = np.random.default_rng(0).normal(size=(210, 3))
    targets, weights = torch.arange(210), torch.linspace(0, 1, 210)
    source = MemmapSource(X).with_window(24 * 60)
    rows = StreamedRows.of(source, targets, weights).scaled(
        fit_scaler(torch.from_numpy(X), "standard"), targets
    )
    kept = rows.kept_on_device()
    assert kept.kept
    assert not rows.kept
    plan = Plan(batch_size=32, shuffle=shuffle)
    pairs = zip(epoch_batches(rows, plan, 1), epoch_batches(kept, plan, 1), strict=True)
    for read, taken in pairs:
        assert torch.equal(read.inputs, taken.inputs)
        assert torch.equal(read.targets, taken.targets)
        assert torch.equal(read.weights, taken.weights)
