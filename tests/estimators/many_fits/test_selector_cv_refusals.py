"""Cross-validation of the number of features: errors and warnings."""

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

from ipcae import (
    ClassificationSelector,
    InputError,
    ReconstructionSelector,
    RegressionSelector,
    SelectorCV,
)

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


def test_a_class_that_a_fold_lacks_is_named(quick_classifier, X):
    y = np.array(["common"] * 79 + ["rare"])
    with pytest.raises(InputError, match="trained without class rare, which has 1 of 80 rows"):
        SelectorCV(quick_classifier, n_features_to_select=[2]).fit(X, y)


def test_a_class_with_fewer_rows_than_folds_is_named(quick_classifier, X):
    y = np.array(["common"] * 77 + ["rare"] * 3)
    with pytest.warns(UserWarning, match=r"Fewer rows than the 5 folds: class rare \(3\)"):
        SelectorCV(quick_classifier, n_features_to_select=[2]).fit(X, y)


def test_scores_that_cannot_be_computed_are_named(quick_classifier, X, values):
    regression = RegressionSelector(max_epochs=2)
    with pytest.raises(InputError, match=r"fold 1 .*target has none\): choose another score\.$"):
        SelectorCV(regression, n_features_to_select=[2], scoring="roc_auc").fit(X, values)
    folds = [(np.arange(0, 80, 2), np.flatnonzero(X[:, 0] > 0)[:5] // 2 * 2 + 1)]
    y = (np.arange(80) % 4 < 2).astype(int)
    y[folds[0][1]] = 1
    with pytest.raises(InputError, match="The score 'roc_auc' cannot"):
        SelectorCV(quick_classifier, n_features_to_select=[2], cv=folds, scoring="roc_auc").fit(
            X, y
        )


def test_another_estimator_is_refused(X, classes):
    with pytest.raises(InputError, match="estimator is a LogisticRegression"):
        SelectorCV(LogisticRegression()).fit(X, classes)


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
