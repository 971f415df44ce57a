"""Rows of the next steps, copied by a kernel, compared with indexing."""

import pytest
import torch

from ipcae.ops.gather_rows_triton import gather_rows

pytestmark = pytest.mark.usefixtures("kernels")


@pytest.mark.parametrize("shuffled", [False, True])
@pytest.mark.parametrize("n_columns", [1, 5, 1500])
def test_the_rows_of_the_step_are_copied(shuffled, n_columns, device):
    generator = torch.Generator().manual_seed(0)
    inputs = torch.randn(22, n_columns, generator=generator).to(device)
    labels = torch.arange(22, device=device)
    order = torch.randperm(22, generator=generator).to(device)
    staged = torch.zeros(9, n_columns, device=device), labels.new_zeros(9)
    # The second epoch of six batches of four rows: step 8 is its third one, from row 8 on.
    step = torch.tensor(8, device=device)
    gather_rows([inputs, labels], staged, order if shuffled else None, step, 6, 4)
    rows = order[8:17] if shuffled else torch.arange(8, 17, device=device)
    assert torch.equal(staged[0], inputs[rows])
    assert torch.equal(staged[1], labels[rows])
