"""Grid search and cross-validation take a selector as they take any estimator."""

import joblib
import numpy as np
import pytest
from sklearn.model_selection import GridSearchCV, KFold, cross_val_predict, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from ipcae import (
    ClassificationSelector,
    Concrete,
    Direct,
    Full,
    Mlp,
    ReconstructionSelector,
    RegressionSelector,
)

FOLDS = KFold(2)


def test_a_grid_search_chooses_the_number_of_features(thorough):
    X = np.random.default_rng(0).normal(size=(300, 6))
    values = X[:, 1] - X[:, 4]
    selector = RegressionSelector(**thorough)
    search = GridSearchCV(selector, {"n_features_to_select": [1, 2]}, cv=FOLDS)
    search.fit(X, values)
    # Both columns are needed.
    assert search.best_params_ == {"n_features_to_select": 2}
    assert search.best_estimator_.get_support(indices=True).tolist() == [1, 4]
    assert search.predict(X).shape == (300,)


def test_a_grid_search_compares_methods_by_name_and_as_objects(X, classes, quick):
    methods = ["cae", "ip-cae", Concrete(Full(size=4)), Concrete(Direct(), noise_draws="row")]
    selector = ClassificationSelector(2, **quick)
    search = GridSearchCV(selector, {"method": methods}, cv=FOLDS, error_score="raise")
    search.fit(X, classes)
    expected = [
        cross_val_score(selector.set_params(method=method), X, classes, cv=FOLDS).mean()
        for method in methods
    ]
    np.testing.assert_array_equal(search.cv_results_["mean_test_score"], expected)
    assert search.best_params_["method"] == methods[int(np.argmax(expected))]


def test_a_grid_search_goes_through_a_pipeline(X, quick):
    pipeline = make_pipeline(StandardScaler(), ReconstructionSelector(**quick))
    grid = {
        "reconstructionselector__n_features_to_select": [0.2, 1.0],
        "reconstructionselector__decoder": ["linear", Mlp((8,))],
    }
    search = GridSearchCV(pipeline, grid, cv=FOLDS, error_score="raise").fit(X)
    assert len(search.cv_results_["params"]) == 4
    assert np.isfinite(search.cv_results_["mean_test_score"]).all()


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_a_cross_validated_score_is_that_of_every_fold(X, classes, quick, n_jobs):
    selector = ClassificationSelector(2, **quick)
    with joblib.parallel_config("threading"):
        scores = cross_val_score(selector, X, classes, cv=FOLDS, n_jobs=n_jobs)
    expected = [
        selector.fit(X[train], classes[train]).score(X[test], classes[test])
        for train, test in FOLDS.split(X)
    ]
    np.testing.assert_array_equal(scores, expected)


def test_cross_validated_predictions_cover_every_row(X, classes, quick):
    predicted = cross_val_predict(
        ClassificationSelector(2, **quick), X, classes, cv=3, method="predict_proba"
    )
    np.testing.assert_allclose(predicted.sum(1), 1)
