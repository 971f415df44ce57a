"""Cross-validation of the number of features: what it finds."""

import signal

import numpy as np
import pandas as pd
import pytest
import sklearn
import torch
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import (
    GroupKFold,
    KFold,
    cross_validate,
)
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

from ipcae import (
    ClassificationSelector,
    ReconstructionSelector,
    RegressionSelector,
    SelectorCV,
    TrainingWarning,
    load,
)
from ipcae.estimators.many_fits.cross_validation import choose

N = 80
LEARNING = {
    "method": "anova",
    "max_epochs": 15,
    "learning_rate": 3e-2,
    "batch_size": 64,
    "decoder": (32,),
    "random_state": 0,
}


@pytest.fixture
def learner():
    return ClassificationSelector(
        method="anova", max_epochs=25, learning_rate=1e-2, decoder=(16,), random_state=0
    )


@parametrize_with_checks(
    [
        SelectorCV(ClassificationSelector(**LEARNING), n_features_to_select=[1.0], cv=2),
        SelectorCV(RegressionSelector(**LEARNING), n_features_to_select=[1.0], cv=2),
        SelectorCV(ReconstructionSelector(method="pivoted-qr", max_epochs=4, random_state=0), cv=2),
    ],
    expected_failed_checks=lambda estimator: {
        "check_sample_weight_equivalence_on_dense_data": "training is stochastic",
        "check_sample_weight_equivalence_on_sparse_data": "training is stochastic",
    },
)
@pytest.mark.filterwarnings("ignore::ipcae.TrainingWarning")
def test_it_passes_the_checks_of_scikit_learn(estimator, check):
    check(estimator)


def test_it_finds_how_many_columns_decide(learner, X, classes):
    search = SelectorCV(learner, n_features_to_select=[1, 2, 6], cv=4, n_runs=2).fit(X, classes)
    assert search.n_features_ == 2
    assert search.get_support(indices=True).tolist() == [1, 4]
    assert search.support_.sum() == search.transform(X).shape[1] == 2
    assert (np.sort(search.ranking_)[:2] == [1, 2]).all()
    assert search.score(X, classes) == search.selector_.score(X, classes) > 0.85
    assert search.predict_proba(X).shape == (N, 3)


def test_the_final_selection_has_all_runs_of_the_estimator(learner, X, classes):
    several = clone(learner).set_params(n_runs=3, max_epochs=2)
    search = SelectorCV(several, n_features_to_select=[2], cv=2, n_runs=1).fit(X, classes)
    assert len(search.selector_.validation_loss_) == 3


def test_the_results_are_those_of_scikit_learns_searches(learner, X, classes):
    search = SelectorCV(
        learner,
        n_features_to_select=range(1, 4),
        cv=KFold(3),
        scoring=["accuracy", "neg_log_loss"],
        refit="accuracy",
        rule="best",
    ).fit(X, classes)
    results = search.cv_results_
    assert results["n_features"].tolist() == [1, 2, 3]
    for name in ("accuracy", "neg_log_loss"):
        splits = np.stack([results[f"split{fold}_test_{name}"] for fold in range(3)])
        np.testing.assert_allclose(results[f"mean_test_{name}"], splits.mean(0))
        np.testing.assert_allclose(results[f"std_test_{name}"], splits.std(0))
        assert results[f"rank_test_{name}"].min() == 1
    assert results["split2_support"].sum(1).tolist() == [1, 2, 3]
    assert search.best_index_ == results["mean_test_accuracy"].argmax()
    assert search.best_score_ == results["mean_test_accuracy"].max()


def test_the_smallest_number_within_one_standard_error_is_chosen():
    folds = np.array([[0.5, 0.6, 0.7], [0.8, 0.9, 0.7], [0.7, 1.0, 0.85]])
    results = {f"split{fold}_test_score": folds[:, fold] for fold in range(3)}
    results["mean_test_score"] = folds.mean(1)
    assert choose(results, "score", "best") == 2
    assert choose(results, "score", "one-standard-error") == 1


def test_a_grid_may_hold_fractions_and_duplicates(quick_classifier, X, classes):
    search = SelectorCV(quick_classifier, n_features_to_select=np.array([0.5, 1.0, 0.5]), cv=2)
    assert search.fit(X, classes).cv_results_["n_features"].tolist() == [3, 6]
    assert SelectorCV(quick_classifier, cv=2).fit(X, classes).cv_results_[
        "n_features"
    ].tolist() == [
        1,
        2,
        5,
        6,
    ]


def test_metadata_is_routed(quick_classifier, X, classes):
    groups, weights = np.repeat(np.arange(8), 10), np.linspace(0.1, 2, N)
    with sklearn.config_context(enable_metadata_routing=True):
        quick_classifier.set_fit_request(sample_weight=True).set_score_request(sample_weight=False)
        search = SelectorCV(quick_classifier, n_features_to_select=[2], cv=GroupKFold(2))
        search.fit(X, classes, groups=groups, sample_weight=weights)
        nested = cross_validate(
            SelectorCV(quick_classifier, n_features_to_select=[2], cv=GroupKFold(2)),
            X,
            classes,
            params={"groups": groups, "sample_weight": weights},
            cv=GroupKFold(2),
        )
    assert search.n_splits_ == 2
    assert np.isfinite(nested["test_score"]).all()


def test_a_nested_estimate_works_and_so_do_pipelines(quick_classifier, X, classes):
    frame = pd.DataFrame(X, columns=list("abcdef"))
    search = SelectorCV(quick_classifier, n_features_to_select=[1, 2], cv=2)
    nested = cross_validate(search, frame, classes, cv=2, return_estimator=True)
    assert np.isfinite(nested["test_score"]).all()
    assert {fitted.n_features_ for fitted in nested["estimator"]} <= {1, 2}
    pipeline = make_pipeline(StandardScaler(), search, LogisticRegression()).fit(frame, classes)
    assert pipeline.score(frame, classes) > 0.4
    assert len(pipeline[:-1].get_feature_names_out()) == pipeline[1].n_features_


def test_it_saves_loads_and_exports(quick_classifier, X, classes, tmp_path):
    search = SelectorCV(quick_classifier, n_features_to_select=[2, 3], cv=2).fit(X, classes)
    search.save(tmp_path / "model.safetensors")
    again = load(tmp_path / "model.safetensors")
    np.testing.assert_array_equal(again.predict_proba(X), search.predict_proba(X))
    np.testing.assert_array_equal(
        again.cv_results_["mean_test_score"], search.cv_results_["mean_test_score"]
    )
    search.to_onnx(tmp_path / "model.onnx")
    outputs = search.to_torch()(torch.from_numpy(X).float())
    assert len(outputs) == N


def test_ctrl_c_keeps_what_was_done(quick_classifier, X, classes):
    quick_classifier.set_params(max_epochs=50, callbacks=lambda report: interrupt(report.epoch))

    def interrupt(epoch):
        if epoch == 3:
            signal.raise_signal(signal.SIGINT)

    with pytest.warns(TrainingWarning, match="interrupted"):
        search = SelectorCV(quick_classifier, n_features_to_select=[1, 2], cv=2).fit(X, classes)
    assert search.predict(X).shape == (N,)
    assert max(search.selector_.history_["epoch"]) < 10


def test_other_tasks(X, values):
    regression = RegressionSelector(
        method="lasso", max_epochs=20, learning_rate=1e-2, random_state=0
    )
    search = SelectorCV(
        regression, n_features_to_select=[1, 2, 4], cv=3, scoring="neg_mean_absolute_error"
    ).fit(X, values)
    assert search.n_features_ == 2
    reconstruction = ReconstructionSelector(method="pivoted-qr", max_epochs=4, random_state=0)
    search = SelectorCV(reconstruction, n_features_to_select=[1, 5], cv=2).fit(X)
    assert search.n_features_ == 5
    assert search.reconstruct(X).shape == X.shape
    assert not hasattr(search, "predict_proba")
