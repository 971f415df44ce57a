"""Copies of columns are found, and nothing else is taken for one."""

import numpy as np
import pytest
import torch

from ipcae.tables.copies import copies


@pytest.fixture
def rows():
    return torch.from_numpy(np.random.default_rng(0).normal(size=(1000, 8)))


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
@pytest.mark.parametrize("offset", [0, 50])
def test_multiples_and_negatives_are_copies(rows, dtype, offset):
    rows[:, 3] = 1.8 * rows[:, 1] + 32
    rows[:, 6] = -rows[:, 1]
    rows[:, 7] = rows[:, 5]
    assert copies((rows + offset).to(dtype)) == [[1, 3, 6], [5, 7]]


def test_almost_equal_columns_are_not_copies(rows):
    rows[:, 3] = rows[:, 1] + 1e-3 * rows[:, 2]
    assert copies(rows) == []


def test_constant_columns_are_not_copies(rows):
    rows[:, 2:5] = 0.1
    assert copies(rows) == []


def test_columns_that_vary_in_a_single_row_are_compared(rows):
    rows[:, 2:5] = 0
    rows[7, 2], rows[7, 3], rows[8, 4] = 1, -3, 1
    assert copies(rows) == [[2, 3]]


def test_columns_that_differ_in_a_single_row_are_not_copies(rows):
    rows[:, 4] = rows[:, 2]
    rows[501, 4] += 1
    assert copies(rows) == []


def test_missing_values_must_be_in_the_same_rows(rows):
    rows[3, 1] = torch.nan
    rows[:, 2] = 2 * rows[:, 1]
    rows[:, 4] = rows[:, 1]
    rows[3, 4] = 0.0
    assert copies(rows) == [[1, 2]]


def test_huge_values_do_not_overflow(rows):
    rows[:, 1] *= 1e300
    rows[:, 2] = rows[:, 3]
    assert copies(rows) == [[2, 3]]
