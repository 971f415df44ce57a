"""Linear decoders that are computed instead of trained."""

from types import SimpleNamespace

import torch

from ipcae.rows import Rows
from ipcae.tasks import Regression
from ipcae.training.choices.solving import _of_run


def test_columns_of_zeros_predict_the_mean():
    rows = Rows(torch.zeros(6, 3), torch.tensor([[1.0], [2.0], [3.0], [4.0], [5.0], [9.0]]))
    problem = SimpleNamespace(task=Regression(n_outputs=1, single=True))
    found = _of_run(problem, {"buffer:features": torch.tensor([0, 2])}, rows)
    assert found["decoder.0.weight"].tolist() == [[0.0, 0.0]]
    assert found["decoder.0.bias"].item() == 4.0
