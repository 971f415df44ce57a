"""A small classification problem, and a model for it."""

import pytest

from ipcae.decoders import Mlp
from ipcae.parametrizations import Full
from ipcae.regularizers import Gjsd
from ipcae.rows import Rows
from ipcae.selectors import Concrete, SelectThenDecode
from tests.random_tensors import normal

N_FEATURES = 9


@pytest.fixture(scope="session")
def everything() -> Rows:
    """Return 60 rows of three classes, which features 2 and 5 decide."""
    x = normal(60, N_FEATURES)
    return Rows(x, (x[:, 2] > 0).long() + (x[:, 5] > 0).long())


@pytest.fixture(scope="session")
def rows(everything) -> Rows:
    """Return the 43 rows to learn from."""
    return everything.take(slice(43))


@pytest.fixture(scope="session")
def validation(everything) -> Rows:
    """Return the 17 rows to be judged by."""
    return everything.take(slice(43, 60))


@pytest.fixture
def model() -> SelectThenDecode:
    """Return a small IP-CAE with its diversity penalty."""
    selector = Concrete(Full(size=4), noise_draws=4, regularizer=Gjsd())
    return SelectThenDecode(selector, Mlp((8,)), N_FEATURES, 3, 3)
