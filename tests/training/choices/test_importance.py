"""The importance of selected features, also on few rows."""

import numpy as np
import pytest
import torch

from ipcae.decoders import linear_decoder
from ipcae.losses import CoxPartialLikelihood, SquaredError
from ipcae.models import FixedSelection
from ipcae.rows import Rows
from ipcae.runs import Stream
from ipcae.training.choices import importance as module
from ipcae.training.choices.importance import importance

N_ROWS = 12


@pytest.fixture
def linear():
    """Return a model whose output is the first column, and its tensors."""
    params = {
        "decoder.0.weight": torch.tensor([[[1.0, 0.0]]]),
        "decoder.0.bias": torch.zeros(1, 1),
        "buffer:features": torch.tensor([[0, 1]]),
    }
    return FixedSelection(linear_decoder(), n_selected=2, n_outputs=1), params


@pytest.fixture
def inputs():
    return torch.randn(N_ROWS, 2, generator=torch.Generator().manual_seed(3))


def test_few_rows_are_shuffled_several_times(linear, inputs):
    found = importance(*linear, SquaredError(), Rows(inputs, inputs[:, :1]))[0]
    # The mean of (x_i - x_j)² over all pairs; a single shuffle gives 1.5 times as much.
    assert found[0] == pytest.approx(2 * inputs[:, 0].var(correction=0).item(), rel=0.15)
    assert found[1] == 0


def test_a_loss_that_compares_rows_sees_one_copy_of_them(linear, inputs, monkeypatch):
    times = torch.stack([-inputs[:, 0].argsort().argsort().float(), torch.ones(N_ROWS)], dim=1)
    rows = Rows(inputs, times - times.min() + 1)
    single = []
    for seed in range(3):
        monkeypatch.setattr(module, "Stream", lambda seeds, seed=seed: Stream([seed]))
        single.append(importance(*linear, CoxPartialLikelihood(), rows))
    monkeypatch.undo()
    monkeypatch.setattr(module, "_SHUFFLED_ROWS", 3 * N_ROWS)
    together = importance(*linear, CoxPartialLikelihood(), rows)
    np.testing.assert_allclose(together, np.mean(single, axis=0), rtol=1e-5)
