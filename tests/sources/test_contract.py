"""What every source must do."""

import numpy as np
import pytest
import torch
from scipy import sparse

from ipcae.errors import InputError
from ipcae.sources import CsrSource
from tests.sources.kinds import KINDS


@pytest.fixture(params=[np.float32, np.float64, np.int16], ids=lambda dtype: dtype.__name__)
def X(request):
    values = np.random.default_rng(0).normal(size=(53, 7))
    values[values < 0.3] = 0
    return (values * 10).astype(request.param)


@pytest.fixture(params=KINDS)
def source(request, tmp_path, X):
    return KINDS[request.param](tmp_path, X, list("abcdefg")).with_window(4 * X[:8].size)


def expected(X):
    return torch.from_numpy(X if X.dtype == np.float32 else X.astype(np.float64))


def test_rows_are_those_of_the_table_in_any_order(source, X):
    rows = np.array([40, 3, 3, 52, 0, 17])
    assert torch.equal(source.take(rows), expected(X)[rows])
    assert torch.equal(source.load(rows, torch.device("cpu")), expected(X)[rows])


def test_blocks_are_all_rows_in_order(source, X):
    starts, blocks = zip(*source.blocks(), strict=True)
    assert len(blocks) > 1
    assert starts[0] == 0
    assert torch.equal(torch.cat(blocks), expected(X))


def test_columns_are_read_without_the_others(source, X):
    assert torch.equal(source.columns(np.array([5, 0])), expected(X)[:, [5, 0]])


def test_chunks_begin_with_the_first_row_and_increase(source):
    assert source.starts[0] == 0
    assert (np.diff(source.starts) > 0).all()
    assert source.starts[-1] < len(source)


def test_a_subset_of_a_subset_reads_the_right_rows(source, X):
    part = source.subset(np.arange(50, 2, -3)).subset(np.array([4, 1, 9]))
    assert torch.equal(part.take(np.array([2, 0])), expected(X)[[23, 38]])
    assert torch.equal(torch.from_numpy(part.read(0, 3)), expected(X)[[38, 47, 23]])
    assert part.starts[0] == 0


def test_sorted_subsets_keep_the_chunks_together(source):
    half = source.subset(np.arange(0, len(source), 2))
    assert half.starts[0] == 0
    assert (np.diff(half.starts) > 0).all()
    assert half.starts[-1] < len(half)


def test_columns_are_found_by_name(source):
    assert source.positions(["g", "b"]).tolist() == [6, 1]
    with pytest.raises(InputError, match="no column z"):
        source.positions(["a", "z"])


def test_sparse_rows_are_gathered_on_a_device(X):
    source = CsrSource(sparse.csr_matrix(X))
    rows = np.array([40, 3, 3, 52, 0, 17])
    assert torch.equal(source._gathered(rows, torch.device("cpu")), expected(X)[rows])
