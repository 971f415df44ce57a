"""Several runs at once: each is kept, and the best one predicts."""

import numpy as np
import pandas as pd
import pytest

from ipcae import ClassificationSelector, InputError, RegressionSelector


@pytest.fixture
def fitted(X, values, quick):
    return RegressionSelector(2, n_runs=3, **quick).fit(X, values)


def test_the_best_run_has_the_lowest_validation_loss(fitted):
    assert fitted.validation_loss_.shape == (3,)
    assert fitted.best_run_ == np.argmin(fitted.validation_loss_)
    assert fitted.selection_ is fitted.selections_[fitted.best_run_]


def test_every_run_can_answer(fitted, X):
    best = fitted.with_run(fitted.best_run_)
    np.testing.assert_array_equal(best.predict(X), fitted.predict(X))
    answers = []
    for run, selection in enumerate(fitted.selections_):
        twin = fitted.with_run(run)
        np.testing.assert_array_equal(twin.get_support(), selection.support())
        np.testing.assert_array_equal(twin.transform(X), X[:, selection.support()])
        answers.append(twin.predict(X))
    assert not np.allclose(answers[0], answers[1])
    assert not np.allclose(answers[1], answers[2])


def test_another_run_does_not_change_the_selector(fitted, X):
    before = fitted.best_run_, fitted.predict(X)
    fitted.with_run((fitted.best_run_ + 1) % 3)
    assert fitted.best_run_ == before[0]
    np.testing.assert_array_equal(fitted.predict(X), before[1])


@pytest.mark.parametrize("run", [3, -1])
def test_a_run_that_is_not_there_is_refused(fitted, run):
    with pytest.raises(InputError, match=f"no run {run}: expected 0 to 2"):
        fitted.with_run(run)


def test_the_best_run_does_not_vote_for_itself(fitted):
    supports = [fitted.with_run(run).get_support() for run in range(3) if run != fitted.best_run_]
    np.testing.assert_allclose(fitted.other_seeds_, np.mean(supports, axis=0))
    assert fitted.other_seeds_.sum() == pytest.approx(2)


def test_the_ranking_is_a_permutation_with_the_selected_first(fitted):
    for run in range(3):
        twin = fitted.with_run(run)
        assert sorted(twin.ranking_) == [1, 2, 3, 4, 5, 6]
        assert set(twin.ranking_[twin.get_support()]) == {1, 2}
        # Among the selected, the one whose loss is felt more comes first.
        features, importance = twin.selection_.features, twin.importance_[run]
        assert twin.ranking_[features[importance.argmax()]] == 1


def test_the_unselected_are_ranked_by_other_seeds_and_then_by_probability(fitted):
    unselected = np.flatnonzero(~fitted.get_support())
    by_rank = unselected[np.argsort(fitted.ranking_[unselected])]
    keys = [(-fitted.other_seeds_[i], -fitted.selection_.probability[i]) for i in by_rank]
    assert keys == sorted(keys)


def test_importance_tells_which_column_matters(thorough):
    X = np.random.default_rng(0).normal(size=(300, 6))
    selector = RegressionSelector(2, **thorough).fit(X, 3 * X[:, 1] - X[:, 4])
    assert selector.get_support(indices=True).tolist() == [1, 4]
    assert selector.ranking_[1] == 1
    assert (selector.importance_[selector.best_run_] > 0).all()


def test_a_seed_repeats_everything(X, classes, quick):
    first, second = (ClassificationSelector(2, n_runs=2, **quick).fit(X, classes) for _ in "ab")
    for run in range(2):
        np.testing.assert_array_equal(
            first.with_run(run).predict_proba(X), second.with_run(run).predict_proba(X)
        )
    np.testing.assert_array_equal(first.validation_loss_, second.validation_loss_)
    assert first.run_seeds_ == second.run_seeds_
    for name in ("run", "epoch", "phase", "metric", "value"):
        np.testing.assert_array_equal(first.history_[name], second.history_[name])


@pytest.mark.parametrize("seed", [1, None, np.random.RandomState(3)])
def test_another_seed_gives_another_result(X, classes, quick, seed):
    first = ClassificationSelector(2, **quick).fit(X, classes)
    second = ClassificationSelector(2, **quick | {"random_state": seed}).fit(X, classes)
    assert first.run_seeds_ != second.run_seeds_
    assert not np.allclose(first.predict_proba(X), second.predict_proba(X))


def test_a_random_state_moves_on(X, classes, quick):
    selector = ClassificationSelector(2, **quick | {"random_state": np.random.RandomState(0)})
    assert selector.fit(X, classes).run_seeds_ != selector.fit(X, classes).run_seeds_


def test_the_first_run_does_not_depend_on_the_others(X, values, quick, fitted):
    alone = RegressionSelector(2, **quick).fit(X, values)
    among = fitted.with_run(0)
    np.testing.assert_array_equal(among.predict(X), alone.predict(X))
    np.testing.assert_array_equal(among.selection_.features, alone.selection_.features)
    assert among.validation_loss_[0] == alone.validation_loss_[0]
    assert fitted.run_seeds_[:1] == alone.run_seeds_


def test_every_run_has_its_own_learning_rate(X, values, quick):
    rates = [1e-3, 0.0, 1e-1]
    quick |= {"fine_tune": False}
    selector = RegressionSelector(2, n_runs=3, learning_rate=rates, **quick).fit(X, values)
    table = pd.DataFrame(selector.history_).query("metric == 'validation_loss'")
    still = table[table.run == 1].value
    assert still.nunique() == 1
    assert table[table.run == 2].value.nunique() > 1
    alone = RegressionSelector(2, **quick).fit(X, values)
    np.testing.assert_array_equal(selector.with_run(0).predict(X), alone.predict(X))


def test_the_history_is_a_table(fitted, quick):
    table = pd.DataFrame(fitted.history_)
    assert list(table.columns) == ["run", "epoch", "phase", "metric", "value"]
    losses = table.pivot_table(index="epoch", columns=["metric", "run"], values="value")
    # Four epochs and one of fine-tuning.
    assert losses["validation_loss"].shape == (5, 3)
    assert losses["unique_percentage"].dropna().shape == (4, 3)
    assert {"train_loss", "validation_error", "gjsd", "temperature"} <= set(table.metric)


def test_the_best_epoch_is_that_of_the_lowest_validation_loss(fitted):
    table = pd.DataFrame(fitted.history_).query("metric == 'validation_loss' and epoch < 4")
    lowest = table.loc[table.groupby("run").value.idxmin()]
    assert fitted.best_epoch_ == lowest.epoch.tolist()
    assert fitted.run_status_ == ["finished"] * 3
    assert fitted.fit_seconds_ > 0
