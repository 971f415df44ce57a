"""The four ways to scale the columns, and none."""

import numpy as np
import pytest
import torch

from ipcae import ReconstructionSelector, RegressionSelector
from ipcae.estimators.one_fit.arguments import scale_for
from ipcae.tables import fit_scaler, robust_scaler

SCALES = ["auto", "standard", "common", "minmax", None]


@pytest.fixture
def rows():
    """Return columns of the standard deviations 1, 2 and 4, off center."""
    noise = torch.randn(5000, 3, generator=torch.Generator().manual_seed(0), dtype=torch.float64)
    return noise * torch.tensor([1.0, 2.0, 4.0]) + 10


def test_standard_gives_every_column_mean_zero_and_unit_variance(rows):
    scaled = fit_scaler(rows, "standard").apply(rows)
    np.testing.assert_allclose(scaled.mean(0), 0, atol=1e-6)
    np.testing.assert_allclose(scaled.std(0, correction=0), 1, rtol=1e-5)


def test_common_keeps_the_ratios_of_the_spreads(rows):
    scaled = fit_scaler(rows, "common").apply(rows)
    np.testing.assert_allclose(scaled.mean(0), 0, atol=1e-6)
    np.testing.assert_allclose(scaled.square().mean(), 1, rtol=1e-5)
    np.testing.assert_allclose(scaled.std(0) / scaled[:, 0].std(), [1, 2, 4], rtol=0.1)


def test_minmax_reaches_from_zero_to_one(rows):
    scaled = fit_scaler(rows, "minmax").apply(rows)
    assert scaled.amin(0).tolist() == [0, 0, 0]
    assert scaled.amax(0).tolist() == [1, 1, 1]


def test_none_leaves_the_rows_as_they_are(rows):
    assert torch.equal(fit_scaler(rows, None).apply(rows), rows.float())


def test_truth_values_stand_for_auto_and_none():
    assert scale_for(True) == "auto"
    assert scale_for(False) is None


def test_auto_tells_columns_of_one_unit_from_columns_of_many(rows):
    assert fit_scaler(rows, "auto").kind == "common"
    assert fit_scaler(rows * torch.tensor([1.0, 1.0, 100.0]), "auto").kind == "standard"


@pytest.mark.parametrize("scale", SCALES)
def test_scaling_can_be_undone(rows, scale):
    scaler = fit_scaler(rows, scale)
    np.testing.assert_allclose(scaler.invert(scaler.apply(rows)), rows, atol=1e-5)


@pytest.mark.parametrize("scale", ["standard", "common", "minmax"])
@pytest.mark.parametrize("constant", [0.1, 1e9 + 0.1, 0.0])
def test_a_constant_column_is_only_shifted(scale, constant):
    """Although the mean of many times 0.1 is not exactly 0.1."""
    rows = torch.randn(999, 2, generator=torch.Generator().manual_seed(0), dtype=torch.float64)
    alone = fit_scaler(rows[:, :1], scale)
    rows[:, 1] = constant
    scaler = fit_scaler(rows, scale)
    assert scaler.scale[0] == alone.scale[0]
    assert scaler.scale[1] == (alone.scale[0] if scale == "common" else 1)
    np.testing.assert_allclose(scaler.apply(rows)[:, 1], 0, atol=1e-6)


def test_a_robust_scale_is_not_moved_by_outliers(rows):
    spoiled = rows.clone()
    spoiled[::20] = 1e9
    scaler = robust_scaler(spoiled)
    np.testing.assert_allclose(scaler.center, 10, atol=0.5)
    np.testing.assert_allclose(scaler.scale, [1, 2, 4], rtol=0.15)


def test_a_robust_scale_of_mostly_equal_values_is_not_zero():
    values = torch.tensor([[0.0]] * 9 + [[10.0]])
    assert robust_scaler(values).scale.item() == pytest.approx(3.0)


@pytest.mark.parametrize("scale", SCALES)
def test_every_scale_finds_the_informative_columns_and_keeps_the_units(X, thorough, scale):
    X = 2 * X + 1
    values = 100 * (X[:, 1] - X[:, 4])
    selector = RegressionSelector(2, scale=scale, **thorough).fit(X, values)
    assert selector.get_support(indices=True).tolist() == [1, 4]
    assert selector.score(X, values) > 0.8
    assert selector.scaler_.kind == {"auto": "common", None: "none"}.get(scale, scale)


@pytest.mark.parametrize("scale", SCALES)
def test_the_scale_is_learned_from_the_training_rows_alone(X, quick, scale):
    train, val = X[:60], 1000 * X[60:]
    settings = quick | {"scale": scale}
    with_val = ReconstructionSelector(2, **settings).fit(train, X_val=val)
    own = ReconstructionSelector(2, validation_fraction=None, **settings).fit(train)
    assert torch.equal(with_val.scaler_.center, own.scaler_.center)
    assert torch.equal(with_val.scaler_.scale, own.scaler_.scale)


def test_the_scale_of_the_target_is_learned_from_the_training_rows_alone(X, values, quick):
    selector = RegressionSelector(2, **quick)
    selector.fit(X[:60], values[:60], X_val=X[60:], y_val=1e6 * values[60:])
    assert selector.task_.scaler.scale.item() == pytest.approx(values[:60].std())
