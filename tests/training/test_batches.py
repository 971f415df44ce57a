"""Which rows make up each batch, and in which order."""

from dataclasses import replace

import pytest
import torch

from ipcae.losses import CrossEntropy
from ipcae.rows import Rows
from ipcae.runs import Runs
from ipcae.training import Plan, train
from ipcae.training.batches import count_batches, epoch_batches, whole_batches
from tests.problems import problem
from tests.random_tensors import normal


def numbered(n):
    """Return rows that hold their own number as input, target and weight."""
    numbers = torch.arange(n)
    return Rows(numbers[:, None].float(), numbers, numbers.float())


def batches(n, plan, epoch=0):
    return [batch.targets.tolist() for batch in epoch_batches(numbered(n), plan, epoch)]


def order(n, plan, epoch=0):
    return [number for batch in batches(n, plan, epoch) for number in batch]


@pytest.mark.parametrize("shuffle", [False, True])
@pytest.mark.parametrize("drop_last", [False, True])
@pytest.mark.parametrize(
    ("n_rows", "batch_size"), [(10, 4), (8, 4), (3, 4), (4, 4), (1, 1), (25, 10)]
)
def test_batches_are_full_but_for_the_last(shuffle, drop_last, n_rows, batch_size):
    plan = Plan(batch_size=batch_size, shuffle=shuffle, drop_last=drop_last)
    sizes = [len(batch) for batch in batches(n_rows, plan)]
    whole, rest = divmod(n_rows, batch_size)
    kept = [] if drop_last and whole else [rest] * (rest > 0)
    assert sizes == [batch_size] * whole + kept
    assert len(sizes) == count_batches(n_rows, plan)


def test_without_shuffling_the_rows_come_as_they_lie():
    plan = Plan(batch_size=4, shuffle=False)
    for epoch in range(3):
        assert batches(10, plan, epoch) == [[0, 1, 2, 3], [4, 5, 6, 7], [8, 9]]


def test_shuffling_uses_every_row_once():
    plan = Plan(batch_size=7)
    for epoch in range(3):
        assert sorted(order(100, plan, epoch)) == list(range(100))


def test_a_limited_epoch_has_other_rows_than_the_epoch_before():
    plan = Plan(batch_size=4, rows_per_epoch=10)
    drawn = [order(25, plan, epoch) for epoch in range(30)]
    assert [len(batch) for batch in batches(25, plan)] == [4, 4, 2]
    assert all(len(set(epoch)) == 10 for epoch in drawn)
    assert set().union(*drawn) == set(range(25))


def test_a_limited_epoch_of_a_smaller_table_has_all_rows():
    plan = Plan(batch_size=4, rows_per_epoch=100)
    assert sorted(order(10, plan)) == list(range(10))
    assert count_batches(10, plan) == 3


def test_the_last_rows_of_the_order_are_dropped_not_of_the_table():
    plan = Plan(batch_size=10, drop_last=True)
    kept = [order(25, plan, epoch) for epoch in range(30)]
    assert all(len(set(epoch)) == 20 for epoch in kept)
    assert set().union(*kept) == set(range(25))


def test_the_order_depends_on_its_seed_and_the_epoch_alone():
    here = order(100, Plan(batch_size=7, order_seed=1), epoch=2)
    assert here == order(100, Plan(batch_size=13, order_seed=1, max_epochs=3), epoch=2)
    assert here != order(100, Plan(batch_size=7, order_seed=1), epoch=3)
    assert here != order(100, Plan(batch_size=7, order_seed=2), epoch=2)


def test_the_order_has_no_preference_for_places():
    plan = Plan(batch_size=1000)
    first = torch.tensor([order(10, plan, epoch)[0] for epoch in range(2000)])
    counts = torch.bincount(first, minlength=10)
    assert ((counts - 200).abs() < 5 * 180**0.5).all()


@pytest.mark.parametrize("shuffle", [False, True])
def test_a_row_keeps_its_target_and_its_weight(shuffle):
    for batch in epoch_batches(numbered(25), Plan(batch_size=4, shuffle=shuffle), 1):
        assert torch.equal(batch.inputs[:, 0], batch.targets.float())
        assert torch.equal(batch.weights, batch.targets.float())


def test_targets_that_are_the_inputs_stay_the_inputs():
    x = normal(10, 3)
    rows = Rows(x)
    for batch in epoch_batches(rows, Plan(batch_size=4), 0):
        assert batch.targets is batch.inputs
    moved = rows.to(torch.device("cpu"))
    assert moved.targets is moved.inputs


@pytest.mark.parametrize(("n_rows", "kept"), [(10, 8), (8, 8), (3, 3)])
def test_validation_leaves_out_its_partial_batch_with_the_training(n_rows, kept):
    rows = numbered(n_rows)
    assert len(whole_batches(rows, Plan(batch_size=4, drop_last=True))) == kept
    assert len(whole_batches(rows, Plan(batch_size=4))) == n_rows


def test_dropping_the_last_batch_equals_training_without_its_rows(model, rows, validation):
    plan = Plan(max_epochs=3, batch_size=10, shuffle=False, drop_last=True)
    runs = Runs.of([1], 1e-2)
    dropped = train(model, problem(CrossEntropy(), rows, validation, runs, plan))
    fewer = train(
        model, problem(CrossEntropy(), rows.take(slice(40)), validation.take(slice(10)), runs, plan)
    )
    assert dropped.best_loss == fewer.best_loss
    for name, tensor in fewer.params.items():
        assert torch.equal(dropped.params[name], tensor)


def test_training_follows_the_order_of_the_plan_whatever_the_seeds(model, rows, validation):
    # Rows laid out in the shuffled order and not shuffled again give the same training.
    plan = Plan(max_epochs=1, batch_size=16, order_seed=5)
    laid_out = Rows(*(torch.cat(part) for part in zip(*_batches_of(rows, plan), strict=True)))
    for seed in (5, 6):
        runs = Runs.of([seed], 1e-2)
        shuffled = train(model, problem(CrossEntropy(), rows, validation, runs, plan))
        in_order = train(
            model, problem(CrossEntropy(), laid_out, validation, runs, replace(plan, shuffle=False))
        )
        for name, tensor in shuffled.params.items():
            assert torch.equal(tensor, in_order.params[name])


def _batches_of(rows, plan):
    return [(batch.inputs, batch.targets) for batch in epoch_batches(rows, plan, 0)]
