"""One pass gives what scaling needs."""

from functools import reduce

import numpy as np
import pytest
import torch

from ipcae.sources import Summary
from ipcae.tables import SCALES, fit_scaler, scaler_of


@pytest.mark.parametrize("scale", [*SCALES, None])
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_scalers_of_parts_are_those_of_the_whole(scale, dtype):
    random = np.random.default_rng(0)
    rows = torch.from_numpy(random.normal(1e3, random.uniform(1, 9, 12), (500, 12))).to(dtype)
    rows[:, 4] = 7.1
    whole = fit_scaler(rows, scale)
    parts = scaler_of(reduce(Summary.joined, map(Summary.of, rows.split(64))), scale)
    assert parts.kind == whole.kind
    torch.testing.assert_close(parts.center, whole.center, rtol=1e-14, atol=0)
    torch.testing.assert_close(parts.scale, whole.scale, rtol=1e-12, atol=0)


def test_values_that_are_not_finite_are_counted_by_column():
    rows = torch.tensor([[1.0, torch.nan], [torch.inf, torch.nan], [2.0, 3.0]])
    summary = Summary.of(rows[:1]).joined(Summary.of(rows[1:]))
    assert summary.n_nan.tolist() == [0, 2]
    assert summary.n_infinite.tolist() == [1, 0]
