"""Captured steps on rows of a source are those on rows in memory."""

from dataclasses import replace

import numpy as np
import pytest
import torch
from scipy import sparse

from ipcae.decoders import Mlp
from ipcae.losses import CrossEntropy
from ipcae.parametrizations import Direct
from ipcae.rows import Rows
from ipcae.runs import Runs
from ipcae.selectors import Concrete, SelectThenDecode
from ipcae.sources import CsrSource, MemmapSource, StreamedRows
from ipcae.training import Plan, train
from tests.problems import problem

pytestmark = pytest.mark.usefixtures("kernels")
needs_gpu = pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a GPU")


@pytest.mark.parametrize("kind", [MemmapSource, CsrSource])
@pytest.mark.parametrize("shuffle", [False, pytest.param(True, marks=needs_gpu)])
def test_captured_steps_on_a_source_are_those_on_rows_in_memory(kind, shuffle, device):
    X = np.random.default_rng(0).normal(size=(7, 6)).astype(np.float32)
    y, weights = torch.arange(7) % 3, torch.arange(1.0, 8.0)
    source = kind(sparse.csr_matrix(X) if kind is CsrSource else X)
    streamed = StreamedRows.of(source, y, weights).to(device)
    in_memory = Rows(torch.from_numpy(X), y, weights).to(device)
    model = SelectThenDecode(Concrete(Direct(), noise_draws=2), Mlp(()), 6, 2, 3)
    plan = Plan(max_epochs=3, batch_size=3, shuffle=shuffle)
    runs = Runs.of([1, 2], [1e-2])
    stated = problem(CrossEntropy(), in_memory, in_memory, runs, plan)
    alone = train(model, stated)
    for rows in (streamed, streamed.kept_on_device()) if shuffle else (streamed,):
        other = train(model, replace(stated, rows=rows))
        for name, tensor in alone.params.items():
            assert torch.equal(tensor, other.params[name]), name
