"""Validation rows that are looked at in parts."""

import pytest
import torch

from ipcae.decoders import Mlp
from ipcae.losses import CrossEntropy, SquaredError
from ipcae.rows import Rows
from ipcae.runs import Stream
from ipcae.selectors import Concrete, SelectThenDecode
from ipcae.training import step


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("loss", [CrossEntropy(), SquaredError()], ids=repr)
def test_parts_give_the_loss_of_the_whole(monkeypatch, loss, weighted):
    generator = torch.Generator().manual_seed(0)
    x = torch.randn(50, 8, generator=generator)
    y = None if isinstance(loss, SquaredError) else torch.arange(50) % 8
    rows = Rows(x, y, torch.rand(50, generator=generator) if weighted else None)
    model = SelectThenDecode(Concrete(), Mlp((6,)), n_features=8, n_selected=3, n_outputs=8)
    params = model.init(Stream([0, 1]))
    whole = step.evaluate(model, loss, params, rows)
    monkeypatch.setattr(step, "_NUMBERS_AT_ONCE", 7 * 512)
    seen = []
    predict = SelectThenDecode.predict
    monkeypatch.setattr(
        SelectThenDecode,
        "predict",
        lambda self, params, inputs: seen.append(len(inputs)) or predict(self, params, inputs),
    )
    torch.testing.assert_close(step.evaluate(model, loss, params, rows), whole)
    assert seen == [7] * 7 + [1]
