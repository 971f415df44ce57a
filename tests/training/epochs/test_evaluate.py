"""Validation rows that are evaluated in parts."""

import pytest
import torch

from ipcae.decoders import Mlp
from ipcae.losses import CrossEntropy, SquaredError
from ipcae.rows import Rows
from ipcae.runs import Stream
from ipcae.selectors import Concrete, SelectThenDecode
from ipcae.training.epochs import validation


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("loss", [CrossEntropy(), SquaredError()], ids=repr)
def test_parts_give_the_loss_of_the_whole(monkeypatch, loss, weighted):
    generator = torch.Generator().manual_seed(0)
    x = torch.randn(50, 8, generator=generator)
    y = None if isinstance(loss, SquaredError) else torch.arange(50) % 8
    rows = Rows(x, y, torch.rand(50, generator=generator) if weighted else None)
    model = SelectThenDecode(Concrete(), Mlp((6,)), n_features=8, n_selected=3, n_outputs=8)
    params = model.init(Stream([0, 1]))
    whole = validation.evaluate(model, loss, params, rows)
    monkeypatch.setattr(validation, "_NUMBERS_AT_ONCE", 7 * 512)
    seen = []
    predict = SelectThenDecode.predict
    monkeypatch.setattr(
        SelectThenDecode,
        "predict",
        lambda self, params, inputs: seen.append(len(inputs)) or predict(self, params, inputs),
    )
    torch.testing.assert_close(validation.evaluate(model, loss, params, rows), whole)
    assert seen == [7] * 7 + [1]


@pytest.mark.parametrize("per_run", [False, True])
def test_blocks_of_runs_give_the_losses_of_all_runs_bit_for_bit(monkeypatch, per_run):
    x, y = torch.randn(50, 8), torch.arange(50) % 8
    rows = Rows(x, y, torch.rand(5, 50) if per_run else torch.rand(50))
    model = SelectThenDecode(Concrete(), Mlp((6,)), n_features=8, n_selected=3, n_outputs=8)
    params = model.init(Stream(range(5)))
    whole = validation.evaluate(model, CrossEntropy(), params, rows)
    seen = []
    inner = validation._evaluate
    monkeypatch.setattr(validation, "_evaluate", lambda *parts: seen.append(parts) or inner(*parts))
    monkeypatch.setattr(validation, "_NUMBERS_IN_CACHE", 2 * 50 * 512)
    assert all(map(torch.equal, validation.evaluate(model, CrossEntropy(), params, rows), whole))
    assert len(seen) == 3
