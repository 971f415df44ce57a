"""Cross-validation of the number of features: the rows of the folds, and how they are trained."""

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.model_selection import (
    GroupKFold,
    KFold,
    StratifiedKFold,
    TimeSeriesSplit,
)

from ipcae import (
    ClassificationSelector,
    SelectorCV,
)
from ipcae.estimators.many_fits import variant_batches
from ipcae.estimators.many_fits.cross_validation import CrossValidation
from ipcae.estimators.many_fits.scoring import Scorer
from ipcae.estimators.many_fits.variants import batches_of, fit_variants
from ipcae.estimators.one_fit.settings import Settings

N = 80


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
        return [row[0].decoder_outputs(X) for row in best], plan.results(best, {})

    (before, scores), (after, others) = first_fold(classes), first_fold(changed)
    for one, other in zip(before, after, strict=True):
        assert (one == other).all()
    assert (scores["split0_test_score"] != others["split0_test_score"]).any()


@pytest.mark.parametrize("fraction", [0.2, 0.4])
@pytest.mark.parametrize("cv", [KFold(4), TimeSeriesSplit(3), StratifiedKFold(2)], ids=str)
def test_validation_rows_are_training_rows_of_the_fold(cv, fraction, quick_classifier, X, classes):
    quick_classifier.set_params(validation_fraction=fraction)
    plan = CrossValidation.plan(
        quick_classifier, X, classes, counts=[1, 2], cv=cv, scorer=Scorer.of(quick_classifier, None)
    )
    for count, number in [(0, 0), (0, 1), (1, 0)]:
        variant = plan.variants[count * len(plan.folds) + number]
        train, test = plan.folds[number]
        assert not np.intersect1d(variant.train, variant.validate).size
        np.testing.assert_array_equal(np.union1d(variant.train, variant.validate), train)
        assert not np.intersect1d(np.union1d(variant.train, variant.validate), test).size
        assert len(variant.validate) == pytest.approx(fraction * len(train), rel=0.5)


def test_groups_stay_together(quick_classifier, X, classes):
    groups = np.repeat(np.arange(8), 10)
    plan = CrossValidation.plan(
        quick_classifier,
        X,
        classes,
        counts=[2],
        cv=4,
        scorer=Scorer.of(quick_classifier, None),
        groups=groups,
    )
    for variant, (train, test) in zip(plan.variants, plan.folds, strict=True):
        used = [set(groups[rows]) for rows in (variant.train, variant.validate, test)]
        assert sum(map(len, used)) == len(set.union(*used))
        assert len(train) == 60
    by_hand = SelectorCV(quick_classifier, n_features_to_select=[2], cv=GroupKFold(4))
    assert by_hand.fit(X, classes, groups=groups).n_splits_ == 4


def test_rows_of_weight_zero_do_not_count(quick_classifier, X, classes):
    weights = np.ones(N)
    weights[::4] = 0
    huge = X.copy()
    huge[::4] = 1e3
    folds = [(np.arange(40), np.arange(40, 80)), (np.arange(40, 80), np.arange(40))]
    searches = [
        SelectorCV(quick_classifier, n_features_to_select=[2], cv=folds).fit(
            x, classes, sample_weight=weights
        )
        for x in (X, huge)
    ]
    np.testing.assert_array_equal(*(s.cv_results_["split0_support"] for s in searches))


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
    assert alone._best_loss == together[-1]._best_loss
    outputs = [each.predict_proba(X) for each in (alone, together[-1])]
    np.testing.assert_array_equal(*outputs)


def test_the_progress_of_several_batches_is_that_of_all(X, classes, capsys, monkeypatch):
    monkeypatch.setattr("ipcae.training.progress.progress_line._LINE_SECONDS", 0.0)
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
    assert search.selector_.method_ == best[0][0].method_
