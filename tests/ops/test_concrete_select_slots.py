"""The slots of a group are read with one and the same sample."""

import pytest
import torch

from ipcae.ops import concrete_select, concrete_select_slots
from ipcae.runs import Stream


@pytest.mark.parametrize("draws", [1, 3, 8, "row"])
@pytest.mark.parametrize("n_rows", [1, 7, 16])
def test_every_slot_is_read_by_the_sample_of_its_row(draws, n_rows):
    logits = Stream([1, 2]).normal(3, 5)
    rows = Stream([3]).normal(n_rows, 4, 5)[0]
    found = concrete_select_slots(logits, rows, 0.7, draws=draws, stream=Stream([5, 6]))
    assert found.shape == (2, n_rows, 3, 4)
    for slot in range(4):
        alone = concrete_select(logits, rows[:, slot], 0.7, draws=draws, stream=Stream([5, 6]))
        torch.testing.assert_close(found[..., slot], alone)


def test_without_noise_the_largest_logit_reads_all_slots():
    logits = torch.tensor([[[0.0, 2.0, 1.0]]])
    rows = torch.arange(6.0).view(1, 2, 3)
    assert concrete_select_slots(logits, rows, 1.0).flatten().tolist() == [1.0, 4.0]
