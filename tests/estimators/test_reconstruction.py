"""All columns come back from the selected ones, in their own units."""

import numpy as np
import pytest
from sklearn.metrics import r2_score

from ipcae import ReconstructionSelector

UNITS = np.repeat([1e6, 1e-6, 1], 4)
OFFSETS = np.repeat([1e9, 0, -5], 4)


@pytest.fixture
def rows():
    """Return four noisy copies of each of three columns, each kind in a unit of its own."""
    rng = np.random.default_rng(0)
    copies = np.repeat(rng.normal(size=(300, 3)), 4, axis=1)
    return (copies + 0.1 * rng.normal(size=(300, 12))) * UNITS + OFFSETS


@pytest.mark.parametrize("scale", ["auto", "standard", "minmax"])
def test_every_column_is_reconstructed_in_its_unit(rows, thorough, scale):
    selector = ReconstructionSelector(3, scale=scale, **thorough).fit(rows)
    assert (selector.get_support(indices=True) // 4).tolist() == [0, 1, 2]
    for restored in (selector.reconstruct(rows), selector.reconstruct(selector.transform(rows))):
        each = r2_score(rows, restored, multioutput="raw_values")
        assert each.min() > 0.9


def test_the_score_is_the_part_of_the_variance_of_the_scaled_columns(rows, quick):
    selector = ReconstructionSelector(3, scale="standard", **quick).fit(rows)
    scaled, restored = ((part - OFFSETS) / UNITS for part in (rows, selector.reconstruct(rows)))
    spread = selector.scaler_.scale.numpy() / UNITS
    error = ((scaled - restored) / spread) ** 2
    variance = ((scaled - scaled.mean(0)) / spread) ** 2
    assert selector.score(rows) == pytest.approx(1 - error.sum() / variance.sum(), abs=1e-5)


def test_the_target_is_ignored(rows, quick):
    plain = ReconstructionSelector(3, **quick).fit(rows)
    with_target = ReconstructionSelector(3, **quick).fit(rows, np.arange(300))
    np.testing.assert_array_equal(with_target.reconstruct(rows), plain.reconstruct(rows))
    assert with_target.score(rows, np.arange(300)) == plain.score(rows)


def test_validation_rows_can_be_given(rows, quick):
    selector = ReconstructionSelector(3, scale="standard", **quick)
    selector.fit(rows[:200], X_val=rows[200:])
    error = (selector.reconstruct(rows[200:]) - rows[200:]) / selector.scaler_.scale.numpy()
    np.testing.assert_allclose(selector.validation_loss_, (error**2).mean(), rtol=1e-4)


def test_more_features_reconstruct_better(rows, thorough):
    scores = [
        ReconstructionSelector(n, **thorough | {"n_runs": 1}).fit(rows).score(rows)
        for n in (1, 2, 3)
    ]
    assert scores[0] < 0.5 < scores[1] < 0.8 < scores[2]
