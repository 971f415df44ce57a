"""Noise that is drawn twice in parts gives what noise kept whole gives."""

import pytest
import torch

from ipcae.ops import concrete_select
from ipcae.ops.concrete_select import in_parts
from ipcae.runs import Stream


@pytest.mark.parametrize("n_features", [33, 32], ids=["odd", "even"])
@pytest.mark.parametrize("draws", [3, 4, "row"])
@pytest.mark.parametrize("n_rows", [10, 16])
@pytest.mark.parametrize("straight_through", [False, True])
def test_parts_give_the_same_values_and_gradients(
    monkeypatch, n_features, draws, n_rows, straight_through
):
    generator = torch.Generator().manual_seed(0)
    logits = torch.randn(2, 3, n_features, generator=generator, requires_grad=True)
    rows = torch.randn(n_rows, n_features, generator=generator, requires_grad=True)
    upstream = torch.randn(2, n_rows, 3, generator=generator)

    def select():
        stream = Stream([1, 2], 3)
        options = {"draws": draws, "stream": stream, "straight_through": straight_through}
        selected = concrete_select(logits, rows, 0.5, **options)
        # What is drawn next does not depend on how the noise was drawn.
        following = stream.bits(4)
        return selected, following, *torch.autograd.grad(selected, [logits, rows], upstream)

    whole = select()
    monkeypatch.setattr(in_parts, "PART", 2 * 3 * n_features)
    monkeypatch.setattr(in_parts, "KEPT", 0)
    for expected, found in zip(whole, select(), strict=True):
        torch.testing.assert_close(found, expected)


def test_a_run_in_parts_does_not_notice_the_others(monkeypatch):
    monkeypatch.setattr(in_parts, "PART", 1)
    monkeypatch.setattr(in_parts, "KEPT", 0)
    logits, rows = torch.randn(2, 3, 33), torch.randn(10, 33)
    together = concrete_select(logits, rows, 0.5, draws="row", stream=Stream([1, 2], 3))
    alone = concrete_select(logits[1:], rows, 0.5, draws="row", stream=Stream([2], 3))
    assert torch.equal(together[1], alone[0])


@pytest.mark.parametrize("seeds", [(1, 2, 1, 2), (1, 2, 2), (1, 1)])
def test_runs_with_the_same_seed_select_as_each_does_alone(seeds):
    logits = torch.randn(len(seeds), 3, 33, requires_grad=True)
    rows = torch.randn(10, 33)
    together = concrete_select(logits, rows, 0.5, draws=4, stream=Stream(seeds, 3))
    (gradient,) = torch.autograd.grad(together.square().sum(), logits)
    for run, seed in enumerate(seeds):
        own = logits[run : run + 1].detach().requires_grad_()
        alone = concrete_select(own, rows, 0.5, draws=4, stream=Stream([seed], 3))
        assert torch.equal(together[run], alone[0])
        assert torch.equal(
            gradient[run], torch.autograd.grad(alone.square().sum(), own)[0].squeeze(0)
        )
