"""Cross-validation of the number of features."""

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
    StratifiedKFold,
    TimeSeriesSplit,
    cross_validate,
)
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

from ipcae import (
    ClassificationSelector,
    InputError,
    ReconstructionSelector,
    RegressionSelector,
    SelectorCV,
    TrainingWarning,
    load,
)
from ipcae.estimators import variant_batches
from ipcae.estimators.cross_validation import CrossValidation, choose
from ipcae.estimators.scoring import Scorer
from ipcae.estimators.settings import Settings
from ipcae.estimators.variants import batches_of, fit_variants

N, D = 80, 6


@pytest.fixture
def quick():
    return ClassificationSelector(max_epochs=4, batch_size=32, decoder=(8,), random_state=0)


@pytest.fixture
def learner():
    return ClassificationSelector(
        method="anova", max_epochs=25, learning_rate=1e-2, decoder=(16,), random_state=0
    )


@parametrize_with_checks(
    [
        SelectorCV(
            ClassificationSelector(
                method="anova",
                max_epochs=15,
                learning_rate=3e-2,
                batch_size=64,
                decoder=(32,),
                random_state=0,
            ),
            n_features_to_select=[1.0],
            cv=2,
        ),
        SelectorCV(
            RegressionSelector(
                method="anova",
                max_epochs=15,
                learning_rate=3e-2,
                batch_size=64,
                decoder=(32,),
                random_state=0,
            ),
            n_features_to_select=[1.0],
            cv=2,
        ),
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


def test_a_fold_neither_learns_from_nor_validates_on_its_test_rows(X, classes):
    """Other targets of the test rows of fold 0 change nothing but its score."""
    selector = ClassificationSelector(
        max_epochs=6, decoder=(8,), validation_fraction=None, random_state=0
    )
    folds = list(KFold(4).split(X))
    changed = classes.copy()
    changed[folds[0][1]] = (classes[folds[0][1]] + 1) % 3

    def first_fold(y):
        plan = CrossValidation.plan(
            clone(selector), X, y, counts=[2, 3], cv=folds, scorer=Scorer.of(selector, None)
        )
        best, _ = plan.fit()
        return [row[0].selector.decoder_outputs(X) for row in best], plan.results(best, {})

    (before, scores), (after, others) = first_fold(classes), first_fold(changed)
    for one, other in zip(before, after, strict=True):
        assert (one == other).all()
    assert (scores["split0_test_score"] != others["split0_test_score"]).any()


@pytest.mark.parametrize("fraction", [0.2, 0.4])
@pytest.mark.parametrize("cv", [KFold(4), TimeSeriesSplit(3), StratifiedKFold(2)], ids=str)
def test_validation_rows_are_training_rows_of_the_fold(cv, fraction, quick, X, classes):
    quick.set_params(validation_fraction=fraction)
    plan = CrossValidation.plan(
        quick, X, classes, counts=[1, 2], cv=cv, scorer=Scorer.of(quick, None)
    )
    for count, number in [(0, 0), (0, 1), (1, 0)]:
        variant = plan.variants[count * len(plan.folds) + number]
        train, test = plan.folds[number]
        assert not np.intersect1d(variant.train, variant.validate).size
        np.testing.assert_array_equal(np.union1d(variant.train, variant.validate), train)
        assert not np.intersect1d(np.union1d(variant.train, variant.validate), test).size
        assert len(variant.validate) == pytest.approx(fraction * len(train), rel=0.5)


def test_the_smallest_number_within_one_standard_error_is_chosen():
    folds = np.array([[0.5, 0.6, 0.7], [0.8, 0.9, 0.7], [0.7, 1.0, 0.85]])
    results = {f"split{fold}_test_score": folds[:, fold] for fold in range(3)}
    results["mean_test_score"] = folds.mean(1)
    assert choose(results, "score", "best") == 2
    assert choose(results, "score", "one-standard-error") == 1


def test_a_grid_may_hold_fractions_and_duplicates(quick, X, classes):
    search = SelectorCV(quick, n_features_to_select=np.array([0.5, 1.0, 0.5]), cv=2)
    assert search.fit(X, classes).cv_results_["n_features"].tolist() == [3, 6]
    assert SelectorCV(quick, cv=2).fit(X, classes).cv_results_["n_features"].tolist() == [
        1,
        2,
        5,
        6,
    ]


def test_groups_stay_together(quick, X, classes):
    groups = np.repeat(np.arange(8), 10)
    plan = CrossValidation.plan(
        quick, X, classes, counts=[2], cv=4, scorer=Scorer.of(quick, None), groups=groups
    )
    for variant, (train, test) in zip(plan.variants, plan.folds, strict=True):
        used = [set(groups[rows]) for rows in (variant.train, variant.validate, test)]
        assert sum(map(len, used)) == len(set.union(*used))
        assert len(train) == 60
    by_hand = SelectorCV(quick, n_features_to_select=[2], cv=GroupKFold(4))
    assert by_hand.fit(X, classes, groups=groups).n_splits_ == 4


def test_metadata_is_routed(quick, X, classes):
    groups, weights = np.repeat(np.arange(8), 10), np.linspace(0.1, 2, N)
    with sklearn.config_context(enable_metadata_routing=True):
        quick.set_fit_request(sample_weight=True).set_score_request(sample_weight=False)
        search = SelectorCV(quick, n_features_to_select=[2], cv=GroupKFold(2))
        search.fit(X, classes, groups=groups, sample_weight=weights)
        nested = cross_validate(
            SelectorCV(quick, n_features_to_select=[2], cv=GroupKFold(2)),
            X,
            classes,
            params={"groups": groups, "sample_weight": weights},
            cv=GroupKFold(2),
        )
    assert search.n_splits_ == 2
    assert np.isfinite(nested["test_score"]).all()


def test_a_nested_estimate_works_and_so_do_pipelines(quick, X, classes):
    frame = pd.DataFrame(X, columns=list("abcdef"))
    search = SelectorCV(quick, n_features_to_select=[1, 2], cv=2)
    nested = cross_validate(search, frame, classes, cv=2, return_estimator=True)
    assert np.isfinite(nested["test_score"]).all()
    assert {fitted.n_features_ for fitted in nested["estimator"]} <= {1, 2}
    pipeline = make_pipeline(StandardScaler(), search, LogisticRegression()).fit(frame, classes)
    assert pipeline.score(frame, classes) > 0.4
    assert len(pipeline[:-1].get_feature_names_out()) == pipeline[1].n_features_


def test_rows_of_weight_zero_do_not_count(quick, X, classes):
    weights = np.ones(N)
    weights[::4] = 0
    huge = X.copy()
    huge[::4] = 1e3
    folds = [(np.arange(40), np.arange(40, 80)), (np.arange(40, 80), np.arange(40))]
    searches = [
        SelectorCV(quick, n_features_to_select=[2], cv=folds).fit(x, classes, sample_weight=weights)
        for x in (X, huge)
    ]
    np.testing.assert_array_equal(*(s.cv_results_["split0_support"] for s in searches))


def test_it_saves_loads_and_exports(quick, X, classes, tmp_path):
    search = SelectorCV(quick, n_features_to_select=[2, 3], cv=2).fit(X, classes)
    search.save(tmp_path / "model.safetensors")
    again = load(tmp_path / "model.safetensors")
    np.testing.assert_array_equal(again.predict_proba(X), search.predict_proba(X))
    np.testing.assert_array_equal(
        again.cv_results_["mean_test_score"], search.cv_results_["mean_test_score"]
    )
    search.to_onnx(tmp_path / "model.onnx")
    outputs = search.to_torch()(torch.from_numpy(X).float())
    assert len(outputs) == N


def test_ctrl_c_keeps_what_was_done(quick, X, classes):
    quick.set_params(max_epochs=50, callbacks=lambda report: interrupt(report.epoch))

    def interrupt(epoch):
        if epoch == 3:
            signal.raise_signal(signal.SIGINT)

    with pytest.warns(TrainingWarning, match="interrupted"):
        search = SelectorCV(quick, n_features_to_select=[1, 2], cv=2).fit(X, classes)
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


REFUSALS = {
    "K": ({"n_features_to_select": [2, 7]}, {}, "=7 is more than the 6 features"),
    "grid": ({"n_features_to_select": "some"}, {}, "expected the numbers of features to compare"),
    "empty": ({"n_features_to_select": []}, {}, "is empty"),
    "groups": ({"cv": 4}, {"groups": np.repeat([0, 1, 2], [30, 30, 20])}, "3 groups for 4 folds"),
    "lengths": ({}, {"groups": [1, 2]}, "expected one group per row"),
    "folds": ({"cv": 1}, {}, "at least 2 folds"),
    "rule": ({"rule": "worst"}, {}, "rule='worst' is not understood"),
    "scorer": ({"scoring": "no_such_score"}, {}, "no_such_score"),
    "several": ({"scoring": ["accuracy", "f1_macro"]}, {}, "which of several scores decides"),
    "argument": ({}, {"colour": 3}, "fit does not take 'colour'"),
    "overlap": ({"cv": [(range(60), range(50, 80))]}, {}, "tested on rows that it is trained on"),
    "beyond": ({"cv": [(range(60), range(60, 90))]}, {}, "rows that do not exist"),
}


@pytest.mark.parametrize(("settings", "params", "message"), REFUSALS.values(), ids=REFUSALS.keys())
def test_mistakes_are_answered_before_any_training(settings, params, message, X, classes):
    def never(report):
        raise AssertionError("training began")

    selector = ClassificationSelector(max_epochs=2, callbacks=never)
    with pytest.raises(InputError, match=message):
        SelectorCV(selector, **settings).fit(X, classes, **params)


def test_a_class_that_a_fold_lacks_is_named(quick, X):
    y = np.array(["common"] * 79 + ["rare"])
    with pytest.raises(InputError, match="trained without class rare, which has 1 of 80 rows"):
        SelectorCV(quick, n_features_to_select=[2]).fit(X, y)


def test_a_class_with_fewer_rows_than_folds_is_named(quick, X):
    y = np.array(["common"] * 77 + ["rare"] * 3)
    with pytest.warns(UserWarning, match=r"Fewer rows than the 5 folds: class rare \(3\)"):
        SelectorCV(quick, n_features_to_select=[2]).fit(X, y)


def test_scores_that_cannot_be_computed_are_named(quick, X, values):
    regression = RegressionSelector(max_epochs=2)
    with pytest.raises(InputError, match=r"fold 1 .*target has none\): choose another score\.$"):
        SelectorCV(regression, n_features_to_select=[2], scoring="roc_auc").fit(X, values)
    folds = [(np.arange(0, 80, 2), np.flatnonzero(X[:, 0] > 0)[:5] // 2 * 2 + 1)]
    y = (np.arange(80) % 4 < 2).astype(int)
    y[folds[0][1]] = 1
    with pytest.raises(InputError, match="The score 'roc_auc' cannot"):
        SelectorCV(quick, n_features_to_select=[2], cv=folds, scoring="roc_auc").fit(X, y)


def test_another_estimator_is_refused(X, classes):
    with pytest.raises(InputError, match="estimator is a LogisticRegression"):
        SelectorCV(LogisticRegression()).fit(X, classes)


@pytest.mark.parametrize(
    ("method", "expected"),
    [("ip-cae", [[1, 2], [5, 10], [40]]), ("anova", [[1, 2, 5, 10, 40]])],
)
def test_runs_with_very_different_numbers_of_nodes_are_trained_apart(method, expected, X, classes):
    wide = np.tile(X, (1, 10))
    settings = {"decoder": (8,), "n_runs": 5, "device": "cpu", "random_state": 0}
    selector = ClassificationSelector(method=method, **settings)
    plan = CrossValidation.plan(
        selector, wide, classes, counts=[1, 2, 5, 10, 40], cv=2, scorer=Scorer.of(selector, None)
    )
    batches = batches_of(Settings.of(selector), plan.table, plan.variants)
    found = [sorted({plan.variants[i].n_selected for i in batch}) for batch in batches]
    assert found == expected
    assert sorted(i for batch in batches for i in batch) == list(range(len(plan.variants)))


def test_a_fold_that_is_trained_apart_has_the_result_of_a_fit_to_its_rows(X, classes, monkeypatch):
    monkeypatch.setattr(variant_batches, "_WORK_OF_OVERHEAD", 0)
    settings = {"max_epochs": 3, "decoder": (8,), "scale": None, "n_runs": 2, "random_state": 0}
    selector = ClassificationSelector(method="ip-cae", device="cpu", **settings)
    plan = CrossValidation.plan(
        selector, X, classes, counts=[1, 2, 4], cv=3, scorer=Scorer.of(selector, None)
    )
    batches = batches_of(Settings.of(selector), plan.table, plan.variants)
    assert [len(batch) for batch in batches] == [4, 2] * 3
    assert all(len({plan.variants[i].train.tobytes() for i in batch}) == 1 for batch in batches)
    together = fit_variants(selector, plan.table, plan.variants, plan.order_seed)
    (alone,) = fit_variants(selector, plan.table, plan.variants[-1:], plan.order_seed)
    assert alone.validation_loss == together[-1].validation_loss
    outputs = [each.selector.predict_proba(X) for each in (alone, together[-1])]
    np.testing.assert_array_equal(*outputs)


def test_the_progress_of_several_batches_is_that_of_all(X, classes, capsys):
    settings = {"max_epochs": 2, "decoder": (8,), "random_state": 0}
    selector = ClassificationSelector(method="ip-cae", device="cpu", **settings)
    SelectorCV(selector, n_features_to_select=[1, 4], cv=2, refit=False, verbose=1).fit(X, classes)
    lines = capsys.readouterr().err.splitlines()
    assert [line.split()[1] for line in lines] == ["1/4", "2/4", "3/4", "4/4"]


def test_the_default_method_is_the_same_in_the_folds_and_in_the_end(X, classes):
    selector = ClassificationSelector(max_epochs=2, decoder=(8,), random_state=0)
    search = SelectorCV(selector, n_features_to_select=[2], cv=2).fit(X, classes)
    plan = CrossValidation.plan(
        clone(selector), X, classes, counts=[2], cv=2, scorer=Scorer.of(selector, None)
    )
    best, _ = plan.fit()
    assert search.selector_.method_ == best[0][0].selector.method_


@pytest.mark.parametrize(
    ("selector", "scoring", "message"),
    [
        (
            ClassificationSelector,
            "roc_auc",
            "it is for two classes, but there are 3: try roc_",
        ),
        (RegressionSelector, "roc_auc", "needs probabilities of classes, but the target has none"),
        (ReconstructionSelector, "accuracy", "'accuracy' needs a target, but ReconstructionSelec"),
        (ReconstructionSelector, ["r2"], "'r2' needs a target"),
    ],
)
def test_a_score_that_does_not_suit_the_target_is_named(selector, scoring, message, X, classes):
    y = None if selector is ReconstructionSelector else np.unique(classes, return_inverse=True)[1]
    refit = scoring[0] if isinstance(scoring, list) else True
    search = SelectorCV(selector(method=None), scoring=scoring, refit=refit, cv=3)
    with pytest.raises(InputError, match=message):
        search.fit(X, y)
