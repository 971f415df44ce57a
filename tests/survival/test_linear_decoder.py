"""The decoder after a ranking by Cox models: a Cox model that is solved for."""

import numpy as np
import pandas as pd
import pytest
from sksurv.linear_model import CoxPHSurvivalAnalysis

from benchmarks.survival_page import PAGE, ROWS, with_table
from ipcae import SelectorCV, SurvivalSelector, load
from ipcae.decoders import linear_decoder
from ipcae.evaluation import read_sample
from ipcae.report.comparison import compare
from ipcae.tasks.censored import times_and_events


def coefficients(selector):
    """Return the coefficients of the selected columns, in their original units."""
    features = selector.params_["buffer:features"][0].numpy()
    weight = selector.params_["decoder.0.weight"][0, 0].double().numpy()
    return features, weight / selector.scaler_.scale[features].numpy()


def test_the_default_is_the_cox_model_of_sksurv_with_a_ridge(breast_cancer):
    X, y = breast_cancer
    selector = SurvivalSelector(6, random_state=0).fit(X, y)
    features, found = coefficients(selector)
    columns = X.to_numpy()[:, features]
    deviation = columns.std(0)
    ridge = 0.1 * y["e.tdm"].sum()
    expected = CoxPHSurvivalAnalysis(alpha=ridge, ties="breslow").fit(columns / deviation, y).coef_
    np.testing.assert_allclose(found * deviation, expected, atol=0.01 * np.abs(expected).max())
    assert selector.model_.decoder == linear_decoder()


def test_without_refit_the_decoder_does_not_see_the_validation_rows(breast_cancer):
    X, y = breast_cancer
    held, others = np.arange(0, len(X), 4), np.setdiff1d(np.arange(len(X)), np.arange(0, len(X), 4))
    some = SurvivalSelector(4, random_state=0)
    some.fit(X.iloc[others], y[others], X_val=X.iloc[held], y_val=y[held])
    every = SurvivalSelector(4, validation_fraction=None, random_state=0).fit(
        X.iloc[others], y[others]
    )
    assert coefficients(some)[1].tolist() == coefficients(every)[1].tolist()


def test_zero_weights_leave_rows_out_and_a_saved_selector_predicts_the_same(
    breast_cancer, tmp_path
):
    X, y = breast_cancer[0].drop(columns="grade_unkown"), breast_cancer[1]  # of two rows only
    weights = (np.arange(len(X)) % 3 > 0).astype(float)
    weighted = SurvivalSelector(4, random_state=0).fit(X, y, sample_weight=weights)
    fewer = SurvivalSelector(4, random_state=0).fit(X[weights > 0], y[weights > 0])
    assert np.array_equal(weighted.predict(X), fewer.predict(X))
    weighted.save(tmp_path / "risk.ipcae")
    assert np.array_equal(load(tmp_path / "risk.ipcae").predict(X), weighted.predict(X))


def test_folds_and_numbers_of_columns_are_solved_as_runs(breast_cancer):
    X, y = breast_cancer[0].drop(columns="grade_unkown"), breast_cancer[1]
    search = SelectorCV(SurvivalSelector(random_state=0), n_features_to_select=[2, 5, 9], cv=3).fit(
        X, times_and_events(y)
    )
    assert search.n_features_ in (2, 5, 9)
    assert all(0.3 < score < 0.95 for score in search.cv_results_["mean_test_score"])


def test_another_decoder_or_loss_is_trained(breast_cancer):
    X, y = breast_cancer
    hasty = {"max_epochs": 2, "random_state": 0}
    assert len(set(SurvivalSelector(3, decoder=(4,), **hasty).fit(X, y).history_["epoch"])) > 1
    assert set(SurvivalSelector(3, **hasty).fit(X, y).history_["epoch"]) == {0}


def test_the_table_of_the_page_is_that_of_the_rows():
    rows = pd.read_csv(ROWS)
    page = PAGE.read_text(encoding="utf-8")
    assert with_table(page, rows) == page
    assert (rows[rows["method"].isin(["default", "coxnet"])].groupby("method").size() == 70).all()


def test_columns_of_a_group_are_solved_together(breast_cancer):
    X, y = breast_cancer
    groups = {"patient": ["age", "size"]}
    selector = SurvivalSelector(3, feature_groups=groups, include=["patient"], random_state=0)
    chosen = set(selector.fit(X, y).get_feature_names_out())
    assert {"age", "size"} <= chosen
    assert np.isfinite(selector.predict(X)).all()


def test_the_report_compares_solved_decoders(breast_cancer):
    X, y = breast_cancer[0].drop(columns="grade_unkown"), breast_cancer[1]
    train = np.arange(len(X)) % 3 > 0
    selector = SurvivalSelector(8, random_state=0).fit(X[train], y[train])
    held_out = read_sample(selector, X[~train], y[~train])
    found = compare(selector, held_out, read_sample(selector, X[train], y[train]))
    assert found.n_epochs == 0
    assert found.scores[8] == pytest.approx(found.own, abs=0.01)
