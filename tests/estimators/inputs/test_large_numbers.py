"""Numbers near the ends of what floating point can represent: learned from, or rejected by name."""

import numpy as np
import pandas as pd
import pytest
import torch

from ipcae import (
    ClassificationSelector,
    InputError,
    ReconstructionSelector,
    RegressionSelector,
    load,
)
from ipcae.evaluation import evaluate_selector, read_sample
from ipcae.tables import fit_scaler, robust_scaler

QUICK = {"method": "ip-cae", "max_epochs": 4, "decoder": (8,), "random_state": 0}
FACTORS = [1e-310, 1e-200, 1e160, 1e300]


@pytest.fixture(scope="module")
def rows():
    return np.random.default_rng(0).normal(size=(40, 4))


def spoiled(rows, value=1e300, row=7, column=2):
    rows = rows.copy()
    rows[row, column] = value
    return rows


@pytest.mark.parametrize("scale", ["auto", "standard", "common", "minmax"])
@pytest.mark.parametrize("factor", FACTORS)
def test_a_scale_neither_overflows_nor_vanishes(rows, scale, factor):
    usual = fit_scaler(torch.from_numpy(rows), scale)
    scaler = fit_scaler(torch.from_numpy(rows * factor), scale)
    assert scaler.kind == usual.kind
    np.testing.assert_allclose(scaler.scale / factor, usual.scale, rtol=1e-9)
    np.testing.assert_allclose(scaler.center / factor, usual.center, rtol=1e-9)
    scaled = scaler.apply(torch.from_numpy(rows * factor))
    np.testing.assert_allclose(scaled, usual.apply(torch.from_numpy(rows)), atol=1e-5)


def test_a_scale_of_columns_that_reach_from_end_to_end():
    ends = torch.tensor([[-1.7e308], [1.7e308], [0.0]], dtype=torch.float64)
    for scale in ("auto", "standard", "common", "minmax"):
        assert torch.isfinite(fit_scaler(ends, scale).scale).all()
    assert torch.isfinite(robust_scaler(ends).scale).all()


@pytest.mark.parametrize("factor", [1e-40, 1e38])
def test_single_precision_at_its_ends(rows, factor):
    small = torch.from_numpy((rows / np.abs(rows).max() * factor).astype(np.float32))
    scaled = fit_scaler(small, "standard").apply(small)
    np.testing.assert_allclose(scaled.std(0, correction=0), 1, rtol=1e-3)


def test_one_smallest_number_of_single_precision():
    column = torch.zeros(50, 1)
    column[3] = 1e-45
    assert torch.isfinite(fit_scaler(column, "standard").apply(column)).all()


@pytest.mark.parametrize("factor", FACTORS)
@pytest.mark.parametrize("loss", ["squared_error", "huber"])
def test_targets_of_any_size(rows, factor, loss):
    y = rows[:, 0] * factor
    selector = RegressionSelector(2, loss=loss, **QUICK).fit(rows, y)
    usual = RegressionSelector(2, loss=loss, **QUICK).fit(rows, rows[:, 0])
    np.testing.assert_allclose(selector.predict(rows) / factor, usual.predict(rows), rtol=1e-3)
    assert selector.score(rows, y) == pytest.approx(usual.score(rows, rows[:, 0]), rel=1e-3)
    found = evaluate_selector(selector, read_sample(selector, rows, y)).metrics
    assert np.isfinite(list(found.values())).all()


@pytest.mark.parametrize("factor", FACTORS)
def test_columns_of_any_size(rows, factor, tmp_path):
    selector = ReconstructionSelector(2, **QUICK).fit(rows * factor)
    usual = ReconstructionSelector(2, **QUICK).fit(rows)
    assert selector.get_support().tolist() == usual.get_support().tolist()
    restored = selector.reconstruct(rows * factor)
    assert np.isfinite(restored).all()
    selector.save(tmp_path / "model")
    np.testing.assert_array_equal(load(tmp_path / "model").reconstruct(rows * factor), restored)


@pytest.mark.parametrize("kind", [ClassificationSelector, RegressionSelector])
def test_fit_names_a_column_that_does_not_fit_into_float32(rows, kind):
    frame = pd.DataFrame(spoiled(rows), columns=list("abcd"))
    with pytest.raises(InputError, match=r"1 of 4 columns of X hold .* \(c: 1e\+300\)"):
        kind(2, scale=None, **QUICK).fit(frame, rows[:, 0] > 0)
    constant = frame.assign(c=np.where(frame.index == 7, 1e300, 0.0))
    with pytest.raises(InputError, match=r"columns of X hold .* \(c: 1e\+300\)"):
        kind(2, unique=False, **QUICK).fit(
            constant.drop(7), rows[np.arange(40) != 7, 0] > 0, X_val=constant, y_val=rows[:, 0] > 0
        )


def test_fit_refuses_validation_targets_far_from_the_others(rows):
    y = rows[:, 0]
    with pytest.raises(InputError, match=r"1 of 1 columns of y hold .* \(0: 1e\+300\)"):
        RegressionSelector(2, **QUICK).fit(rows, y, X_val=rows, y_val=np.where(y == y[0], 1e300, y))


@pytest.mark.parametrize("named", [True, False])
def test_no_answer_without_a_finite_number(rows, named):
    name = "c" if named else "2"
    table = (lambda X: pd.DataFrame(X, columns=list("abcd"))) if named else np.asarray
    classifier = ClassificationSelector(4, **QUICK).fit(table(rows), rows[:, 0] > 0)
    reconstructor = ReconstructionSelector(4, **QUICK).fit(table(rows))
    sentence = rf"^The predictions for 1 of 40 rows of X are not finite, .* \({name}: 1e\+300\)"
    for answer in (
        classifier.predict,
        classifier.predict_proba,
        classifier.predict_from_selected,
        classifier.predict_proba_from_selected,
        reconstructor.reconstruct,
    ):
        with pytest.raises(InputError, match=sentence):
            answer(table(spoiled(rows)))
    for score in (reconstructor.score, lambda X: read_sample(reconstructor, X, None)):
        with pytest.raises(InputError, match=rf"of 4\d? .* \({name}: 1e\+300\)"):
            score(table(spoiled(rows)))


def test_a_prediction_too_large_for_its_unit_is_refused(rows):
    selector = RegressionSelector(
        4, method="ip-cae", decoder="linear", max_epochs=4, random_state=0
    )
    selector.fit(rows, rows[:, 2] * 1e300)
    with pytest.raises(InputError, match=r"1 of 40 rows .* \(2: 1e\+20\)"):
        selector.predict(spoiled(rows, 1e20))


def test_a_column_that_is_not_selected_is_not_read(rows):
    selector = ClassificationSelector(1, **QUICK).fit(rows, rows[:, 0] > 0)
    column = int(np.flatnonzero(~selector.get_support())[0])
    expected = selector.predict_proba(rows)
    np.testing.assert_array_equal(selector.predict_proba(spoiled(rows, column=column)), expected)
