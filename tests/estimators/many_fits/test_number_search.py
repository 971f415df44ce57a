"""The search for a number of features: which numbers are compared, and the verdict on its folds."""

import pickle

import numpy as np
import pytest
from sklearn.base import clone

from ipcae import ClassificationSelector, SelectorCV, chance_test
from ipcae.estimators.chance_of_folds import chance_of_folds
from ipcae.estimators.many_fits.attempt import Attempt
from ipcae.estimators.many_fits.number_search import search_numbers
from ipcae.evaluation.folds import Data

PLANNED = [1, 2, 5, 10, 20, 50]


class Scores:
    """A cross-validation with known scores, which are 0.02 higher in the second of two folds."""

    def __init__(self, score):
        self.score = score
        self.tried = []

    def __call__(self, counts):
        self.tried.append(counts)
        mean = np.array([float(self.score(count)) for count in counts])
        results = {
            "n_features": np.array(counts),
            "split0_test_score": mean - 0.01,
            "split1_test_score": mean + 0.01,
            "mean_test_score": mean,
        }
        best = [[None, None] for _ in counts]
        return Attempt(None, counts, [], best, results, "score", seconds=1.0)


def search(scores, rule="one-standard-error"):
    return search_numbers(scores, PLANNED, rule)


def test_large_numbers_are_skipped_if_the_score_declines_before():
    scores = Scores(lambda count: 0.9 if count == 5 else 0.7)
    found = search(scores)
    assert scores.tried[0] == [1, 2, 5, 10]
    assert found.n_skipped == 2
    assert max(found.every.counts) == 10


def test_large_numbers_are_compared_if_the_score_does_not_decline():
    scores = Scores(lambda count: 0.5 if count < 20 else 0.9)
    found = search(scores)
    assert scores.tried[:2] == [[1, 2, 5, 10], [20, 50]]
    assert found.n_skipped == 0
    assert found.planned.counts == PLANNED


@pytest.mark.parametrize(
    ("needed", "tried"), [(5, [[4]]), (4, [[4], [3]]), (3, [[4], [3]]), (2, []), (1, [])]
)
def test_numbers_below_the_chosen_one_are_tried_as_long_as_they_suffice(needed, tried):
    scores = Scores(lambda count: (0.9 if count >= needed else 0.6) - 0.03 * (count > 8))
    found = search(scores)
    assert scores.tried[1:] == tried
    expected = sorted({1, 2, 5, 10} | {count for counts in tried for count in counts})
    assert found.every.counts == found.every.results["n_features"].tolist() == expected
    means = found.every.results["mean_test_score"]
    assert means.tolist() == [scores.score(count) for count in expected]
    assert found.planned.counts == [1, 2, 5, 10]  # a test against chance does not count others


def test_the_rule_of_the_best_score_tries_no_numbers_between():
    scores = Scores(lambda count: 0.9 if count == 5 else 0.7)
    assert search(scores, "best").every.counts == [1, 2, 5, 10]
    assert len(scores.tried) == 1


@pytest.fixture
def table():
    random = np.random.default_rng(1)
    return random.normal(size=(100, 12)), random.integers(0, 2, 100)


@pytest.fixture
def fitted(table):
    """Search in 80 rows, and return the search with these and the others."""

    def call(X, y, groups=None):
        every = Data(X, y, groups)
        rows, others = every.take(np.arange(80)), every.take(np.arange(80, 100))
        learner = ClassificationSelector(
            method="anova", max_epochs=8, learning_rate=3e-2, decoder=(16,), random_state=0
        )
        given = {} if groups is None else {"groups": rows.groups}
        return SelectorCV(learner).fit(rows.X, rows.y, **given), rows, others

    return call


def test_the_folds_of_a_search_tell_noise_from_a_signal(fitted, table):
    X, y = table
    search, rows, others = fitted(X, y)
    test = chance_of_folds(search, rows, (search.selector_, others))
    assert not test.better
    assert (test.n_rows, test.n_folds) == (100, 5)
    assert test.n_compared == len(search.cv_results_["n_features"])
    name = search.scoring or "score"
    chosen = search.cv_results_[f"mean_test_{name}"][search.best_index_]
    assert test.score == pytest.approx(chosen)
    search, rows, others = fitted(X + 2 * y[:, None] * (np.arange(12) == 3), y)
    assert chance_of_folds(search, rows, (search.selector_, others)).better


def test_skipped_numbers_count_as_attempts(fitted, table):
    search, rows, others = fitted(*table)
    searched = search._searched._replace(n_skipped=0)
    search._searched = searched
    fewer = chance_of_folds(search, rows, (search.selector_, others))
    search._searched = searched._replace(n_skipped=3)
    more = chance_of_folds(search, rows, (search.selector_, others))
    assert more.statistic == fewer.statistic
    assert more.p_value > fewer.p_value
    assert (more.null >= fewer.null).all()
    assert more.n_compared == fewer.n_compared


def test_folds_without_several_groups_or_all_classes_allow_no_verdict(fitted, table):
    X, y = table
    search, rows, others = fitted(X, y, groups=np.arange(100) // 16)
    assert chance_of_folds(search, rows, (search.selector_, others)) is None
    search, rows, others = fitted(X, y)
    missing = others._replace(y=np.zeros_like(others.y))
    assert chance_of_folds(search, rows, (search.selector_, missing)) is None


def test_the_folds_are_not_pickled(fitted, table):
    search, rows, _ = fitted(*table)
    again = pickle.loads(pickle.dumps(search))
    assert not hasattr(again, "_searched")
    assert (again.predict(rows.X) == search.predict(rows.X)).all()
    assert chance_test(again, rows.X, rows.y).n_rows == 80


def test_the_fine_tuning_of_a_fold_may_stop_early(table):
    X, y = table
    learner = ClassificationSelector(
        3, method="anova", learning_rate=3e-2, decoder=(16,), random_state=0
    )

    def n_epochs(selector):
        history = selector.history_
        return len(set(history["epoch"][history["phase"] == "fine-tuning"]))

    whole = clone(learner).set_params(refit=False).fit(X, y)
    search = SelectorCV(learner, n_features_to_select=[3], cv=2, refit=False).fit(X, y)
    (folds,) = search._searched.every.best
    assert all(n_epochs(fold) < n_epochs(whole) for fold in folds)
