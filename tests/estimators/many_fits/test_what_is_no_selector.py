"""What is not a selector is refused by every function that fits many of them."""

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

from ipcae import (
    ChannelSelector,
    ClassificationSelector,
    InputError,
    SelectorCV,
    StabilitySelection,
    chance_test,
    evaluate_features,
    select_with_fdr,
)

FUNCTIONS = {
    "chance_test": chance_test,
    "select_with_fdr": select_with_fdr,
    "evaluate_features": lambda estimator, X, y: evaluate_features(estimator, [0], X, y),
    "SelectorCV": lambda estimator, X, y: SelectorCV(estimator).fit(X, y),
    "StabilitySelection": lambda estimator, X, y: StabilitySelection(estimator).fit(X, y),
    "ChannelSelector": lambda estimator, X, y: ChannelSelector(estimator).fit(X[..., None], y),
}


@pytest.mark.parametrize(
    ("estimator", "name"),
    [
        (LogisticRegression(), "a LogisticRegression"),
        (ClassificationSelector, "the class ClassificationSelector"),
        (np.eye(3), "a ndarray"),
    ],
)
@pytest.mark.parametrize("function", FUNCTIONS.values(), ids=FUNCTIONS.keys())
def test_the_error_says_what_is_expected(function, estimator, name, X, classes):
    with pytest.raises(InputError, match=f"is {name}: expected a selector of ipcae"):
        function(estimator, X, classes)


@pytest.mark.parametrize("function", [chance_test, select_with_fdr])
def test_a_random_state_of_scikit_learn_is_a_seed(function, X, classes, quick):
    selector = ClassificationSelector(2, **{**quick, "method": "anova"})
    few = {"n_repeats": 1} if function is chance_test else {"n_subsamples": 2}
    states = np.random.RandomState(3), np.random.RandomState(3)
    first, again = (function(selector, X, classes, random_state=s, **few) for s in states)
    assert first.sentence == again.sentence
    with pytest.raises(InputError, match="random_state='x' is not understood"):
        function(selector, X, classes, random_state="x", **few)
