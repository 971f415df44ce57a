"""Sample weights reach a selector through scikit-learn's metadata routing."""

import numpy as np
import pytest
import sklearn
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, GroupKFold, KFold, cross_validate
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import StandardScaler

from ipcae import ClassificationSelector, SelectorCV

FOLDS = KFold(2)


@pytest.fixture(autouse=True)
def routing():
    with sklearn.config_context(enable_metadata_routing=True):
        yield


@pytest.fixture
def weights():
    """Return weights that change what is learned."""
    return np.random.default_rng(1).exponential(size=80) ** 3


@pytest.fixture
def selector(quick):
    selector = ClassificationSelector(2, **quick)
    return selector.set_fit_request(sample_weight=True).set_score_request(sample_weight=True)


def probabilities(selector, X, classes, weights=None):
    return sklearn.clone(selector).fit(X, classes, weights).predict_proba(X)


def test_a_pipeline_hands_the_weights_to_the_selector_that_asks(selector, X, classes, weights):
    pipeline = make_pipeline(selector).fit(X, classes, sample_weight=weights)
    np.testing.assert_array_equal(
        pipeline.predict_proba(X), probabilities(selector, X, classes, weights)
    )
    assert not np.allclose(pipeline.predict_proba(X), probabilities(selector, X, classes))


def test_a_pipeline_hands_the_weights_to_a_selector_in_the_middle(selector, X, classes, weights):
    scaler = StandardScaler().set_fit_request(sample_weight=False)
    last = LogisticRegression().set_fit_request(sample_weight=False)
    pipeline = make_pipeline(scaler, selector, last).fit(X, classes, sample_weight=weights)
    scaled = pipeline[0].transform(X)
    alone = sklearn.clone(selector).fit(scaled, classes, weights)
    np.testing.assert_array_equal(pipeline[1].predict_proba(scaled), alone.predict_proba(scaled))


def test_a_selector_that_does_not_ask_gets_no_weights(quick, X, classes, weights):
    selector = ClassificationSelector(2, **quick).set_fit_request(sample_weight=False)
    last = LogisticRegression().set_fit_request(sample_weight=True)
    pipeline = make_pipeline(selector, last).fit(X, classes, sample_weight=weights)
    np.testing.assert_array_equal(pipeline[0].predict_proba(X), probabilities(selector, X, classes))


def test_cross_validation_splits_the_weights_with_the_rows(selector, X, classes, weights):
    result = cross_validate(
        make_pipeline(selector), X, classes, cv=FOLDS, params={"sample_weight": weights},
        error_score="raise",
    )  # fmt: skip
    for score, (train, test) in zip(result["test_score"], FOLDS.split(X), strict=True):
        alone = sklearn.clone(selector).fit(X[train], classes[train], weights[train])
        assert score == alone.score(X[test], classes[test], sample_weight=weights[test])


def test_a_grid_search_hands_the_weights_on(selector, X, classes, weights):
    search = GridSearchCV(selector, {"n_features_to_select": [2]}, cv=FOLDS, error_score="raise")
    search.fit(X, classes, sample_weight=weights)
    np.testing.assert_array_equal(
        search.predict_proba(X), probabilities(selector, X, classes, weights)
    )


def test_validation_rows_can_be_routed_too(quick, X, classes):
    selector = ClassificationSelector(2, **quick).set_fit_request(X_val=True, y_val=True)
    pipeline = make_pipeline(selector).fit(X[:60], classes[:60], X_val=X[60:], y_val=classes[60:])
    alone = ClassificationSelector(2, **quick)
    alone.fit(X[:60], classes[:60], X_val=X[60:], y_val=classes[60:])
    np.testing.assert_array_equal(pipeline.predict_proba(X), alone.predict_proba(X))


def test_earlier_steps_transform_the_validation_rows(quick, X, classes):
    selector = ClassificationSelector(2, **quick).set_fit_request(X_val=True, y_val=True)
    steps = [("scale", StandardScaler()), ("select", selector)]
    pipeline = Pipeline(steps, transform_input=["X_val"])
    pipeline.fit(X[:60], classes[:60], X_val=X[60:], y_val=classes[60:])
    scaler = StandardScaler().fit(X[:60])
    alone = ClassificationSelector(2, **quick).fit(
        scaler.transform(X[:60]), classes[:60],
        X_val=scaler.transform(X[60:]), y_val=classes[60:],
    )  # fmt: skip
    assert pipeline[-1].validation_loss_ == alone.validation_loss_


def test_a_pipeline_hands_groups_to_the_folds(quick, X, classes):
    groups = np.arange(80) // 8
    search = SelectorCV(
        ClassificationSelector(**quick), n_features_to_select=[1, 2], cv=GroupKFold(2)
    )
    pipeline = Pipeline([("scale", StandardScaler()), ("select", search)])
    pipeline.fit(X, classes, groups=groups)
    alone = sklearn.clone(search).fit(StandardScaler().fit_transform(X), classes, groups=groups)
    np.testing.assert_array_equal(
        pipeline[-1].cv_results_["mean_test_score"], alone.cv_results_["mean_test_score"]
    )
