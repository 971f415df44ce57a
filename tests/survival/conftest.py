"""Tables of scikit-survival, with categories as numbers."""

import numpy as np
import pandas as pd
import pytest

datasets = pytest.importorskip("sksurv.datasets")

NAMES = ("breast_cancer", "gbsg2", "whas500", "veterans_lung_cancer")


def load(name):
    """Return complete numeric columns, and the structured target."""
    X, y = getattr(datasets, f"load_{name}")()
    X = pd.get_dummies(X, drop_first=True).astype(np.float64)
    return X.loc[:, X.std() > 0], y


@pytest.fixture(params=NAMES)
def table(request):
    return load(request.param)


@pytest.fixture
def breast_cancer():
    return load("breast_cancer")
