"""F-values from sums are those of scikit-learn."""

import warnings

import numpy as np
import pytest
import torch
from sklearn.feature_selection import f_classif, f_regression

from ipcae.selectors.classical.statistics.f_values import f_values


@pytest.mark.parametrize("discrete", [True, False])
def test_sums_of_parts_give_the_f_values_of_all_rows(discrete):
    random = np.random.default_rng(0)
    x = random.normal(size=(90, 6)) + 3
    x[:, 4] = 1.0  # constant
    y = np.stack([x[:, 0] + random.normal(size=90), random.normal(size=90)], 1)
    y = (y > 3).astype(float) + (y > 4) if discrete else y
    x[:, 5] = y[:, 0]  # a copy of the first target
    parts = [(torch.tensor(x[i::3]), torch.tensor(y[i::3])) for i in range(3)]
    found = f_values(parts, discrete)
    test = f_classif if discrete else f_regression
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Features .* are constant", UserWarning)
        wanted = np.mean([np.nan_to_num(test(x, one)[0]) for one in y.T], axis=0)
    np.testing.assert_allclose(found[:5], wanted[:5], rtol=1e-8)
    assert min(found[5], wanted[5]) > 1e12
