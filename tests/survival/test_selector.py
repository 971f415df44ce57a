"""The survival selector, from every form of target to files and exports."""

import numpy as np
import onnxruntime
import pandas as pd
import pytest
import torch
from sklearn.base import clone
from sklearn.model_selection import cross_val_score
from sksurv.util import Surv

from ipcae import InputError, SelectorCV, SurvivalSelector, load
from ipcae.selectors import METHODS
from ipcae.tasks import Survival

FAST = {"max_epochs": 6, "decoder": (16,), "random_state": 0}


@pytest.fixture(scope="module")
def simulated():
    """Return columns of which 2 and 5 decide the hazard, times and events."""
    random = np.random.default_rng(0)
    X = random.normal(size=(250, 8))
    time = random.exponential(np.exp(-1.5 * X[:, 2] + 1.5 * X[:, 5]))
    limit = random.uniform(0.2, 6, size=250)
    return X, np.minimum(time, limit).round(2), time < limit


@pytest.fixture(scope="module")
def fitted(simulated):
    X, time, event = simulated
    y = np.column_stack([time, event])
    return SurvivalSelector(2, n_runs=2, max_epochs=80, decoder=(32,), random_state=0).fit(X, y)


def test_the_columns_that_decide_the_hazard_are_found(fitted, simulated):
    X, time, event = simulated
    assert fitted.get_support(indices=True).tolist() == [2, 5]
    assert fitted.score(X, np.column_stack([time, event])) > 0.8
    assert fitted.predict(X).shape == (250,)


def test_every_form_of_target_is_the_same(simulated):
    X, time, event = simulated
    forms = {
        "two columns": np.column_stack([time, event]),
        "tensor": torch.tensor(np.column_stack([time, event])),
        "structured": Surv.from_arrays(event, time),
        "time and event": pd.DataFrame({"event": event.astype(int), "time": time}),
        "one boolean": pd.DataFrame({"died": event, "months": time}),
        "two numbers": pd.DataFrame({"months": time, "died": event.astype(int)}),
    }
    predicted = {
        name: SurvivalSelector(2, method="cox-score", **FAST).fit(X, y).predict(X)
        for name, y in forms.items()
    }
    for risk in predicted.values():
        np.testing.assert_array_equal(risk, predicted["two columns"])


def test_only_the_order_of_the_times_matters(simulated):
    X, time, event = simulated
    selector = SurvivalSelector(2, **FAST)
    one = clone(selector).fit(X, np.column_stack([time, event]))
    other = clone(selector).fit(X, np.column_stack([time**2 * 1e9, event]))
    np.testing.assert_array_equal(one.predict(X), other.predict(X))


def test_survival_functions_fall_and_follow_the_risk(fitted, simulated):
    X = simulated[0]
    curves = fitted.predict_survival_function(X)
    assert curves.shape == (250, len(fitted.event_times_))
    np.testing.assert_array_equal(fitted.event_times_, np.unique(fitted.event_times_))
    assert (np.diff(curves, axis=1) <= 0).all()
    assert ((curves >= 0) & (curves <= 1)).all()
    order = np.argsort(fitted.predict(X))
    assert (np.diff(curves[order, 20]) <= 0).all()
    before = fitted.predict_survival_function(X[:3], times=[-1.0, 1e9])
    np.testing.assert_array_equal(before[:, 0], 1.0)
    np.testing.assert_allclose(before[:, 1], curves[:3, -1])


def test_survival_probabilities_are_calibrated(fitted, simulated):
    """The mean predicted curve is close to Kaplan-Meier's."""
    from ipcae.survival import kaplan_meier

    X, time, event = simulated
    times = np.quantile(time, [0.25, 0.5, 0.75])
    predicted = fitted.predict_survival_function(X, times).mean(0)
    np.testing.assert_allclose(predicted, kaplan_meier(time, event).at(times), atol=0.06)


def test_a_cross_validated_selector_predicts_survival_functions_too(simulated):
    X, time, event = simulated
    search = SelectorCV(SurvivalSelector(**FAST), n_features_to_select=[1, 2], cv=2)
    search.fit(X, np.column_stack([time, event]))
    expected = search.selector_.predict_survival_function(X, [1.0, 2.0])
    np.testing.assert_array_equal(search.predict_survival_function(X, [1.0, 2.0]), expected)


def test_every_run_has_its_own_baseline_hazard(fitted, simulated):
    X = simulated[0]
    other = fitted.with_run(1 - fitted.best_run_)
    one, two = (s.predict_survival_function(X, [1.0]) for s in (fitted, other))
    assert not np.array_equal(one, two)
    assert one.mean() == pytest.approx(two.mean(), abs=0.08)


def test_a_saved_selector_predicts_the_same(fitted, simulated, tmp_path):
    X = simulated[0]
    fitted.save(tmp_path / "risk.safetensors")
    again = load(tmp_path / "risk.safetensors")
    np.testing.assert_array_equal(again.predict(X), fitted.predict(X))
    np.testing.assert_array_equal(
        again.predict_survival_function(X), fitted.predict_survival_function(X)
    )


def test_exports_predict_the_risk(fitted, simulated, tmp_path):
    X = simulated[0]
    fitted.to_onnx(tmp_path / "risk.onnx", "all", dtype="float64")
    session = onnxruntime.InferenceSession(tmp_path / "risk.onnx")
    name = session.get_inputs()[0].name
    outputs = dict(
        zip([o.name for o in session.get_outputs()], session.run(None, {name: X}), strict=True)
    )
    np.testing.assert_allclose(outputs["risk"], fitted.predict(X), atol=1e-5)


@pytest.mark.parametrize("method", [n for n, m in METHODS.items() if m.supports(Survival)])
def test_methods_for_survival_select(simulated, method):
    X, time, event = simulated
    selector = SurvivalSelector(3, method=method, **FAST).fit(X, np.column_stack([time, event]))
    assert selector.get_support().sum() == 3
    if method in ("stg", "lassonet", "cox-score"):
        assert {2, 5} <= set(selector.get_support(indices=True).tolist())


@pytest.mark.parametrize("method", ["anova", "lasso", "random-forest", "adaptive"])
def test_other_rankings_say_what_they_need(simulated, method):
    X, time, event = simulated
    with pytest.raises(InputError, match="cannot be used for survival: expected one of ip-cae"):
        SurvivalSelector(3, method=method, **FAST).fit(X, np.column_stack([time, event]))


def test_the_cox_score_needs_times(simulated):
    from ipcae import RegressionSelector

    with pytest.raises(InputError, match="needs times and events to predict"):
        RegressionSelector(3, method="cox-score").fit(simulated[0], simulated[1])


def test_it_can_be_cloned_and_cross_validated(breast_cancer):
    X, y = breast_cancer
    X = X.drop(columns="grade_unkown")  # constant in a fold
    selector = clone(SurvivalSelector(10, method="cox-score", **FAST))
    assert (cross_val_score(selector, X, y, cv=2) > 0.4).all()


@pytest.mark.parametrize(
    ("y", "sentence"),
    [
        (np.ones(250), r"y has shape \(250,\): expected a structured array"),
        (np.ones((250, 3)), r"y has shape \(250, 3\): expected"),
        (np.column_stack([np.arange(250) % 2, np.arange(250)]), "Times come first"),
        (np.column_stack([np.arange(250), np.zeros(250)]), "y has no event"),
        (np.column_stack([np.ones(250), np.ones(250)]), "y has the same time in every row"),
        (np.column_stack([np.arange(250) - 5, np.ones(250)]), "y contains a negative time, -5"),
        (np.column_stack([np.full(250, np.nan), np.ones(250)]), "NaN"),
        (np.column_stack([np.arange(250), np.full(250, np.nan)]), "event is missing .* in 250 of"),
        (np.column_stack([np.full(250, np.nan), np.ones(250)]), "time is missing .* in 250 of"),
        (np.column_stack([np.full(250, np.inf), np.ones(250)]), "infinite time: .* last observed"),
        (pd.DataFrame({"a": ["x"] * 250, "b": [True] * 250}), "times of y are not numbers"),
        (pd.DataFrame({"a": pd.to_timedelta([9] * 250), "b": True}), "times of y are durations: "),
        (pd.DataFrame({"a": pd.to_datetime([9] * 250), "b": True}), "times of y are dates: "),
        (np.column_stack([np.arange(9), np.ones(9)]), "inconsistent numbers of samples"),
        (None, "SurvivalSelector requires y to be passed"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_an_invalid_survival_target_raises_an_error(simulated, y, sentence):
    with pytest.raises(InputError, match=sentence):
        SurvivalSelector(2, **FAST).fit(simulated[0], y)
