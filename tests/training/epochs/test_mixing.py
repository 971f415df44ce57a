"""Training on mixtures of two rows."""

import pytest
import torch
from torch.nn import functional

from ipcae.decoders import Mlp
from ipcae.losses import CrossEntropy, SquaredError
from ipcae.models import FixedSelection
from ipcae.rows import Rows
from ipcae.runs import Runs, Stream
from ipcae.selectors import Concrete, SelectThenDecode
from ipcae.training import Plan, train
from ipcae.training.epochs.mixing import draw_shares, mixture, mixture_losses, mixup_of
from tests.problems import problem

GENERATOR = torch.Generator().manual_seed(0)
X = torch.randn(9, 4, generator=GENERATOR)
CLASSES = torch.arange(9) % 3
MODEL = FixedSelection(Mlp((5,), mixup=0.2), n_selected=2, n_outputs=3)
FEATURES = torch.tensor([[2, 0]])


def trained(runs, weights=None):
    rows = Rows(X, CLASSES, weights)
    start = MODEL.start_from(MODEL.init(Stream(runs.seeds)), FEATURES.repeat(len(runs), 1))
    plan = Plan(max_epochs=3, batch_size=4)
    return train(MODEL, problem(CrossEntropy(), rows, rows, runs, plan), start=start).params


def test_the_loss_of_a_mixture_is_that_of_soft_targets():
    batch, stream = Rows(X, CLASSES), Stream([3, 4], step=5)
    shares = draw_shares(0.2, batch, stream)
    outputs = torch.randn(2, 9, 3, generator=GENERATOR)
    losses = mixture_losses(CrossEntropy(), outputs, batch, shares)
    other = [1, 0, 3, 2, 5, 4, 7, 6, 8]
    for run in range(2):
        for row in range(9):
            share, one_hot = shares[run, row], functional.one_hot(CLASSES, 3).float()
            soft = share * one_hot[row] + (1 - share) * one_hot[other[row]]
            expected = functional.cross_entropy(outputs[run, row], soft)
            torch.testing.assert_close(losses[run, row], expected)
    values = X.expand(2, -1, -1)
    expected = shares[0, 3] * X[3] + (1 - shares[0, 3]) * X[2]
    torch.testing.assert_close(mixture(values, shares)[0, 3], expected)


def test_numbers_are_mixed_as_their_rows_are():
    batch, shares = Rows(X), draw_shares(0.2, Rows(X), Stream([7], step=0))
    losses = mixture_losses(SquaredError(), X.expand(1, -1, -1), batch, shares)
    far = (X[0] - X[1]).square().mean()
    torch.testing.assert_close(losses[0, 0], (1 - shares[0, 0]) * far)
    assert losses[0, 8] == 0  # the last of an odd number has no neighbor


def test_shares_have_the_moments_of_their_distribution():
    shares = draw_shares(0.5, Rows(torch.zeros(50_000, 1)), Stream([0], step=1))
    assert 0 <= shares.min() < 0.01
    assert 0.99 < shares.max() <= 1
    assert float(shares.mean()) == pytest.approx(0.5, abs=0.01)
    assert float(shares.var()) == pytest.approx(0.125, abs=0.003)


def test_a_run_does_not_depend_on_the_others_nor_on_rows_of_weight_zero():
    alone = trained(Runs.of([22]))
    among = trained(Runs.of([11, 22, 33]))
    assert all(torch.equal(alone[name][0], among[name][1]) for name in alone)
    weights = torch.ones(9)
    weights[4] = 0
    before = trained(Runs.of([22]), weights)
    changed = X[4].clone()
    X[4] = 1e3
    try:
        after = trained(Runs.of([22]), weights)
    finally:
        X[4] = changed
    assert all(torch.equal(before[name], after[name]) for name in before)


def test_only_decoders_on_their_own_are_trained_on_mixtures():
    assert mixup_of(MODEL, CrossEntropy()) == 0.2
    assert mixup_of(SelectThenDecode(Concrete(), MODEL.decoder, 4, 2, 3), CrossEntropy()) == 0
    assert mixup_of(FixedSelection(Mlp((5,)), 2, 3), CrossEntropy()) == 0
