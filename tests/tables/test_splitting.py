"""Which rows are held out for validation."""

import numpy as np
import pytest
import torch

from ipcae.rows import Rows
from ipcae.tables import split_rows, splitting


@pytest.fixture(autouse=True)
def limit(monkeypatch):
    monkeypatch.setattr(splitting, "MOST_HELD_OUT", 10)


@pytest.fixture
def numbered():
    return Rows(torch.arange(80.0)[:, None])


def test_of_many_rows_a_bounded_number_is_held_out_of_every_class(numbered):
    classes = np.arange(80) % 2
    train, held_out = split_rows(numbered, 0.25, classes, seed=0)
    assert (len(train), len(held_out)) == (70, 10)
    rows = torch.cat([train.inputs, held_out.inputs]).flatten()
    assert torch.equal(rows.sort().values, numbered.inputs.flatten())
    assert held_out.inputs.remainder(2).sum() == 5


def test_groups_are_held_out_as_a_whole_whatever_their_size(numbered):
    groups = np.repeat(np.arange(4), 20)
    train, held_out = split_rows(numbered, 0.25, None, seed=0, groups=groups)
    assert (len(train), len(held_out)) == (60, 20)
