"""The informative columns are found among noise, however wild their units are."""

import numpy as np
import pytest

from ipcae import ClassificationSelector, ReconstructionSelector, RegressionSelector

INFORMATIVE = [4, 11, 25]
N_FEATURES = 30


@pytest.fixture
def rows():
    return np.random.default_rng(0).normal(size=(300, N_FEATURES))


@pytest.fixture
def units():
    """Return units from a millionth to a million, in no order."""
    return 10 ** np.random.default_rng(1).permutation(np.linspace(-6, 6, N_FEATURES))


@pytest.fixture
def offsets():
    """Return an offset of 1e9 for some columns, the informative ones among them."""
    return np.where(np.arange(N_FEATURES) % 7 == 4, 1e9, 0)


@pytest.fixture
def copies():
    """Return ten noisy copies of each of three columns."""
    rng = np.random.default_rng(0)
    return np.repeat(rng.normal(size=(300, 3)), 10, axis=1) + 0.1 * rng.normal(size=(300, 30))


def found(selector):
    return selector.get_support(indices=True).tolist()


def test_classification_finds_the_informative_columns(rows, thorough):
    classes = rows[:, INFORMATIVE].argmax(1)
    selector = ClassificationSelector(3, **thorough).fit(rows, classes)
    assert found(selector) == INFORMATIVE
    assert selector.score(rows, classes) > 0.9
    # With more room than needed, they still come first.
    roomy = ClassificationSelector(6, **thorough).fit(rows, classes)
    assert np.flatnonzero(roomy.ranking_ <= 3).tolist() == INFORMATIVE


def test_regression_finds_the_informative_columns(rows, thorough):
    selector = RegressionSelector(3, **thorough).fit(rows, rows[:, INFORMATIVE] @ [1, -2, 1.5])
    assert found(selector) == INFORMATIVE


def test_reconstruction_finds_one_of_every_group_of_copies(copies, thorough):
    selector = ReconstructionSelector(3, **thorough).fit(copies)
    assert [column // 10 for column in found(selector)] == [0, 1, 2]
    assert selector.score(copies) > 0.95


def test_classification_is_robust_to_units(rows, units, offsets, thorough):
    wild = rows * units + offsets
    selector = ClassificationSelector(3, **thorough).fit(wild, rows[:, INFORMATIVE].argmax(1))
    assert found(selector) == INFORMATIVE
    assert set(selector.run_status_) <= {"finished", "stopped early"}


def test_regression_is_robust_to_units(rows, units, offsets, thorough):
    wild, target = rows * units + offsets, 1e6 * rows[:, INFORMATIVE] @ [1, -2, 1.5] + 1e9
    selector = RegressionSelector(3, **thorough).fit(wild, target)
    assert found(selector) == INFORMATIVE
    assert selector.score(wild, target) > 0.9


def test_reconstruction_is_robust_to_units(copies, units, offsets, thorough):
    wild = copies * units + offsets * 1e-3
    selector = ReconstructionSelector(3, **thorough).fit(wild)
    assert [column // 10 for column in found(selector)] == [0, 1, 2]
    assert selector.score(wild) > 0.95


def test_binary_columns_are_found_among_large_numbers(thorough):
    """Rare ones and zeros beside columns a thousand times as large."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(400, 10)) * 1000
    X[:, [3, 6, 8]] = rng.random((400, 3)) < 0.3
    selector = ClassificationSelector(3, **thorough).fit(X, X[:, [3, 6, 8]].sum(1).astype(int))
    assert found(selector) == [3, 6, 8]
