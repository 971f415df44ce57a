"""Small problems whose informative columns are known, and settings that train on them quickly."""

import numpy as np
import pytest

from ipcae import ClassificationSelector

N_ROWS, N_FEATURES = 80, 6


@pytest.fixture
def quick():
    """Return settings that train in a few hundredths of a second, and learn little."""
    return {
        "method": "ip-cae",
        "max_epochs": 4,
        "batch_size": 32,
        "decoder": (8,),
        "random_state": 0,
    }


@pytest.fixture
def quick_classifier():
    """Return a selector of classes with such settings, and the default method."""
    return ClassificationSelector(max_epochs=4, batch_size=32, decoder=(8,), random_state=0)


@pytest.fixture
def thorough():
    """Return settings that find the informative columns, in half a second."""
    return {
        "method": "ip-cae",
        "max_epochs": 40,
        "learning_rate": 1e-2,
        "batch_size": 32,
        "decoder": (16,),
        "n_runs": 3,
        "random_state": 0,
    }


@pytest.fixture
def X():
    """Return 80 rows of 6 columns."""
    return np.random.default_rng(0).normal(size=(N_ROWS, N_FEATURES))


@pytest.fixture
def classes(X):
    """Return three classes that columns 1 and 4 decide."""
    return (X[:, 1] > 0).astype(int) + (X[:, 4] > 0)


@pytest.fixture
def values(X):
    """Return a number that columns 1 and 4 decide."""
    return X[:, 1] - 2 * X[:, 4]
