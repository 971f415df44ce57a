"""Importance on rows that were not used to choose anything."""

import numpy as np
import pytest

from ipcae import ClassificationSelector, ReconstructionSelector, RegressionSelector
from ipcae.evaluation import importance_on, read_sample


@pytest.fixture(scope="module")
def rows():
    X = np.random.default_rng(0).normal(size=(300, 6))
    return X, X[:, 0] + 0.1 * X[:, 1]


def test_the_error_bar_shrinks_with_the_rows_and_separates_what_matters(rows):
    X, y = rows
    quick = {"max_epochs": 60, "decoder": (32,), "learning_rate": 0.01, "random_state": 0}
    selector = RegressionSelector(3, method="lasso", **quick)
    selector.fit(X[:100], y[:100])
    few, many = (importance_on(selector, read_sample(selector, X[a:], y[a:])) for a in (270, 100))
    assert set(many.features) == set(selector.get_support(indices=True))
    best = many.features.tolist().index(0)
    assert many.mean.argmax() == best
    assert many.mean[best] > 5 * many.error[best]
    assert 1.5 < (few.error / many.error)[best] < 5
    noise = next(i for i, feature in enumerate(many.features) if feature not in (0, 1))
    assert abs(many.mean[noise]) < 0.1 * many.mean[best]


def test_the_error_bar_covers_the_importance_on_the_population(rows):
    X, y = rows
    selector = RegressionSelector(2, method="lasso", max_epochs=20, random_state=0).fit(X, y)

    def measured(seed, n_rows, repeated=1):
        new = np.random.default_rng([1, seed]).normal(size=(n_rows, 6))
        of = np.arange(n_rows).repeat(repeated)
        groups = None if repeated == 1 else of
        sample = read_sample(selector, new[of], (new[:, 0] + 0.1 * new[:, 1])[of], groups)
        return importance_on(selector, sample, seed=seed)

    truth = np.mean([measured(seed, 2000).mean for seed in range(100, 105)], axis=0)
    for repeated in (1, 4):
        samples = [measured(seed, 60, repeated) for seed in range(60)]
        inside = [np.abs(each.mean - truth) <= 2 * each.error for each in samples]
        assert (np.mean(inside, axis=0) >= 0.85).all()
        if repeated == 1:  # the spread of the rows' losses is not all of the error
            naive = [each.increases.std(0, ddof=1) / 60**0.5 for each in samples]
            errors = [each.error for each in samples]
            assert np.mean(errors, axis=0)[0] > 1.2 * np.mean(naive, axis=0)[0]


def test_a_feature_of_several_nodes_is_shuffled_in_all_of_them(rows):
    X, _ = rows
    selector = ReconstructionSelector(4, unique=False, max_epochs=3, random_state=0).fit(X[:100])
    importance = importance_on(selector, read_sample(selector, X[100:], None))
    assert len(importance.features) == len(set(selector.selection_.features))
    assert np.isfinite(importance.increases).all()


def test_other_seeds_leave_out_the_vote_of_the_best_run(rows):
    X, y = rows
    labels = np.where(y > 0, "high", "low")
    quick = {"max_epochs": 3, "random_state": 0}
    selector = ClassificationSelector(2, method="ip-cae", n_runs=3, **quick).fit(X, labels)
    others = [s.support() for r, s in enumerate(selector.selections_) if r != selector.best_run_]
    np.testing.assert_array_equal(selector.other_seeds_, np.mean(others, axis=0))
    alone = ClassificationSelector(2, **quick).fit(X, labels)
    fixed = ClassificationSelector(2, n_runs=3, method="anova", **quick).fit(X, labels)
    assert np.isnan(alone.other_seeds_).all()
    assert np.isnan(fixed.other_seeds_).all()


def test_the_error_is_unknown_with_two_rows(rows):
    """They can only exchange their values, so that both have the same effect."""
    X, y = rows
    selector = RegressionSelector(2, method="lasso", max_epochs=3, random_state=0).fit(X, y)
    assert np.isnan(importance_on(selector, read_sample(selector, X[:2], y[:2])).error).all()
    assert (importance_on(selector, read_sample(selector, X[:3], y[:3])).error > 0).all()
