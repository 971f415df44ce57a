"""Selections from subsamples of the rows."""

import signal

import numpy as np
import pandas as pd
import pytest
import sklearn
from sklearn.base import clone
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

from ipcae import (
    ClassificationSelector,
    InputError,
    ReconstructionSelector,
    RegressionSelector,
    StabilitySelection,
    TrainingWarning,
    load,
)
from ipcae.estimators.many_fits.subsamples import complementary_halves
from ipcae.evaluation.stability import expected_false, stability_index
from ipcae.selectors.classical.anova import Anova
from tests.pages import HOW_TO, run_in_process, run_page

QUICK = {"method": "anova", "max_epochs": 40, "learning_rate": 1e-2, "random_state": 0}
QUICK |= {"batch_size": 64, "decoder": (32,)}


@parametrize_with_checks(
    [
        # All features, since some checks ask for a score that half of two features cannot give.
        StabilitySelection(ClassificationSelector(1.0, **QUICK), n_subsamples=2),
        StabilitySelection(RegressionSelector(1.0, **QUICK), n_subsamples=2),
        StabilitySelection(
            ReconstructionSelector(method="pivoted-qr", max_epochs=4, random_state=0),
            n_subsamples=2,
        ),
    ]
)
@pytest.mark.filterwarnings("ignore::ipcae.TrainingWarning")
def test_it_passes_the_checks_of_scikit_learn(estimator, check):
    check(estimator)


@pytest.fixture
def ranking():
    return ClassificationSelector(2, method="anova", max_epochs=4, decoder=(8,), random_state=0)


def test_the_columns_that_decide_are_stable(ranking, X, classes):
    stability = StabilitySelection(ranking, n_subsamples=20).fit(X, classes)
    assert stability.frequency_[[1, 4]].min() >= 0.9
    assert stability.stable_.nonzero()[0].tolist() == [1, 4]
    assert set(stability.consensus_) == {1, 4}
    assert stability.get_support(indices=True).tolist() == [1, 4]
    assert stability.stability_.low > 0.6
    assert stability.predict(X).shape == classes.shape
    assert stability.score(X, classes) == stability.selector_.score(X, classes)


@pytest.mark.parametrize("refit", [False, True])
def test_features_are_ranked_by_their_frequency(ranking, X, classes, refit):
    stability = StabilitySelection(ranking, n_subsamples=20, refit=refit).fit(X, classes)
    order = np.argsort(stability.ranking_)
    assert sorted(stability.ranking_) == list(range(1, X.shape[1] + 1))
    n_selected = len(stability.consensus_)
    assert set(order[:n_selected]) == set(stability.consensus_)
    for part in (order[:n_selected], order[n_selected:]):
        assert (np.diff(stability.frequency_[part]) <= 0).all()
    if refit:
        scores = stability.frequency_ / stability.frequency_.max()
        np.testing.assert_allclose(stability.selector_.selection_.probability, scores, rtol=1e-6)


def test_noise_is_not_stable(ranking):
    random = np.random.default_rng(0)
    X, y = random.normal(size=(60, 200)), random.integers(0, 2, 60)
    stability = StabilitySelection(ranking, n_subsamples=20).fit(X, y)
    assert stability.stability_.value < 0.4
    assert stability.stable_.sum() <= 1
    assert stability.expected_false_ == pytest.approx(2**2 / (0.5 * 200))
    assert len(stability.consensus_) == 2


def test_copies_of_a_column_are_a_cluster(ranking, X, classes):
    twice = np.c_[X, X[:, 1] + 0.01 * X[:, 0]]
    stability = StabilitySelection(ranking, n_subsamples=10).fit(twice, classes)
    assert stability.clusters_ == [[1, 6]]


def test_networks_are_trained_on_all_subsamples_at_once(X, classes):
    calls = []
    selector = ClassificationSelector(
        2,
        method="ip-cae",
        max_epochs=15,
        learning_rate=1e-2,
        decoder=(8,),
        random_state=0,
        callbacks=lambda report: calls.append((report.phase, report.n_active)),
    )
    stability = StabilitySelection(selector, n_subsamples=10).fit(X, classes)
    assert calls[0] == ("selecting", 10)
    assert set(stability.consensus_) == {1, 4}
    again = StabilitySelection(clone(selector), n_subsamples=10).fit(X, classes)
    np.testing.assert_array_equal(again.selected_, stability.selected_)


@pytest.mark.parametrize("strata", [None, np.repeat([0, 1, 2], [41, 9, 1])])
def test_subsamples_come_in_pairs_without_common_rows(strata):
    halves = complementary_halves(51, 6, strata, seed=3)
    assert [len(half) for half in halves] == [25] * 6
    for one, other in zip(halves[::2], halves[1::2], strict=True):
        assert not np.intersect1d(one, other).size
    assert len({tuple(half) for half in halves}) == 6
    if strata is not None:
        for half in halves:
            assert (strata[half] == 1).sum() in (4, 5)


def test_random_selections_have_index_zero_and_the_interval_covers_it():
    random = np.random.default_rng(0)
    inside, values = [], []
    for _ in range(200):
        selected = np.stack([random.permutation(30) < 6 for _ in range(25)])
        index = stability_index(selected)
        values.append(index.value)
        inside.append(index.low <= 0 <= index.high)
    assert np.mean(values) == pytest.approx(0, abs=0.01)
    assert np.mean(inside) > 0.85


def test_the_index_is_that_of_the_paper():
    """One minus the mean variance over that of random selections, computed by hand."""
    selected = np.array([[1, 1, 0, 0], [1, 0, 1, 0], [1, 1, 0, 0]], dtype=bool)
    p = selected.mean(0)
    variance = (3 / 2 * p * (1 - p)).mean()
    assert stability_index(selected).value == pytest.approx(1 - variance / (0.5 * 0.5))


def test_it_works_in_pipelines_and_saves(ranking, X, classes, tmp_path):
    stability = StabilitySelection(ranking, n_subsamples=4)
    pipeline = make_pipeline(StandardScaler(), stability).fit(X, classes)
    pipeline[-1].save(tmp_path / "model.safetensors")
    again = load(tmp_path / "model.safetensors")
    scaled = pipeline[0].transform(X)
    np.testing.assert_array_equal(again.predict(scaled), pipeline.predict(X))
    np.testing.assert_array_equal(again.row_stability_.frequency, pipeline[-1].frequency_)
    assert again.row_stability_.sentence == pipeline[-1].rows_.sentence


def test_columns_to_reconstruct_from(X):
    selector = ReconstructionSelector(3, method="pivoted-qr", max_epochs=2, random_state=0)
    assert StabilitySelection(selector, n_subsamples=4).fit(X).reconstruct(X).shape == X.shape


def test_ctrl_c_keeps_the_selections_so_far(X, classes):
    epochs = []

    def interrupt(report):
        epochs.append(report.epoch)
        if len(epochs) == 3:
            signal.raise_signal(signal.SIGINT)

    selector = ClassificationSelector(
        2, max_epochs=40, decoder=(8,), random_state=0, callbacks=interrupt
    )
    with pytest.warns(TrainingWarning, match="interrupted"):
        stability = StabilitySelection(selector, n_subsamples=4).fit(X, classes)
    assert stability.selected_.shape == (4, 6)


class InterruptedAnova(Anova):
    """A ranking that presses Ctrl-C in its seventh call."""

    def scores(self, examples, n_selected, seed):
        calls.append(seed)
        if len(calls) == 7:
            signal.raise_signal(signal.SIGINT)
        return super().scores(examples, n_selected, seed)


calls = []


def test_ctrl_c_in_a_ranking_keeps_complete_pairs_and_warns(ranking, X, classes):
    calls.clear()
    ranking.set_params(method=InterruptedAnova())
    stability = StabilitySelection(ranking, n_subsamples=20, refit=False)
    with (
        pytest.warns(TrainingWarning, match="Training was interrupted"),
        pytest.warns(TrainingWarning, match="Interrupted: 6 of 20 subsamples are used"),
    ):
        stability.fit(X, classes)
    assert len(calls) == 7
    whole = StabilitySelection(ranking.set_params(method="anova"), n_subsamples=20).fit(X, classes)
    np.testing.assert_array_equal(stability.selected_, whole.selected_[:6])


def test_ctrl_c_in_the_first_ranking_ends_the_fit(ranking, X, classes):
    calls[:] = [0] * 6
    with pytest.raises(KeyboardInterrupt):
        StabilitySelection(ranking.set_params(method=InterruptedAnova())).fit(X, classes)


def test_ctrl_c_in_a_shortlist_does_not_begin_the_other_subsamples(X, classes):
    epochs = []

    def interrupt(report):
        epochs.append(report.epoch)
        if len(epochs) == 7:
            signal.raise_signal(signal.SIGINT)

    selector = ClassificationSelector(
        2, method="shortlist", max_epochs=3, decoder=(8,), random_state=0, callbacks=interrupt
    )
    stability = StabilitySelection(selector, n_subsamples=8, refit=False)
    with (
        pytest.warns(TrainingWarning, match="Training was interrupted"),
        pytest.warns(TrainingWarning, match="subsamples are used"),
    ):
        stability.fit(X, classes)
    assert len(stability.selected_) < 8
    assert len(epochs) <= 8


def test_rows_of_a_group_stay_together(ranking, X, classes):
    groups = np.repeat(np.arange(16), 5)
    halves = complementary_halves(80, 6, None, 0, groups)
    for one, other in zip(halves[::2], halves[1::2], strict=True):
        assert not np.intersect1d(groups[one], groups[other]).size
        assert len(one) == len(other) == 40
    ranking.set_params(n_features_to_select=3)
    together = StabilitySelection(ranking, n_subsamples=10).fit(X, classes, groups=groups)
    alone = StabilitySelection(ranking, n_subsamples=10).fit(X, classes)
    assert (together.selected_ != alone.selected_).any()
    # A row of weight 0 does not count, and neither does its group.
    weights = np.where(groups == 3, 0.0, 1.0)
    counted = StabilitySelection(ranking, n_subsamples=10)
    counted.fit(X, classes, groups=groups, sample_weight=weights)
    kept = weights > 0
    fewer = StabilitySelection(ranking, n_subsamples=10)
    fewer.fit(X[kept], classes[kept], groups=groups[kept], sample_weight=weights[kept])
    np.testing.assert_array_equal(counted.selected_, fewer.selected_)


@pytest.mark.parametrize(
    ("groups", "message"), [([1] * 80, "a single group"), ([1, 2, 3], r"shape \(3,\) for 80 rows")]
)
def test_invalid_groups_raise_an_error(groups, message, ranking, X, classes):
    with pytest.raises(InputError, match=message):
        StabilitySelection(ranking).fit(X, classes, groups=groups)


def test_unknown_arguments_of_fit_raise_an_error(ranking, X, classes):
    with pytest.raises(InputError, match="fit does not take 'weights'"):
        StabilitySelection(ranking).fit(X, classes, weights=classes)


def test_groups_and_weights_are_routed_through_a_pipeline(ranking, X, classes):
    groups, weights = np.repeat(np.arange(16), 5), np.linspace(0.1, 1, 80)
    with sklearn.config_context(enable_metadata_routing=True):
        stability = StabilitySelection(ranking.set_fit_request(sample_weight=True), n_subsamples=4)
        pipeline = make_pipeline(StandardScaler().set_fit_request(sample_weight=False), stability)
        pipeline.fit(X, classes, groups=groups, sample_weight=weights)
    scaled = StandardScaler().fit_transform(X)
    direct = StabilitySelection(ranking, n_subsamples=4)
    direct.fit(scaled, classes, groups=groups, sample_weight=weights)
    np.testing.assert_array_equal(pipeline[-1].selected_, direct.selected_)
    np.testing.assert_array_equal(pipeline.predict(X), direct.predict(scaled))


def test_the_consensus_satisfies_the_constraints(ranking, X, classes):
    ranking.set_params(feature_groups=[[1, 2], [4, 5]], exclude=[0], at_most=[(1, [1, 3])])
    stability = StabilitySelection(ranking, n_subsamples=4).fit(X, classes)
    assert sorted(stability.consensus_) == [1, 2, 4, 5]
    assert stability.get_support(indices=True).tolist() == [1, 2, 4, 5]


def test_included_and_excluded_features_do_not_make_a_selection_look_stable(ranking):
    random = np.random.default_rng(0)
    X, y = random.normal(size=(60, 24)), random.permutation(60) % 2
    ranking.set_params(n_features_to_select=5, include=[0, 1], exclude=list(range(12, 24)))
    stability = StabilitySelection(ranking, n_subsamples=40, refit=False).fit(X, y)
    free = stability_index(stability.selected_[:, 2:12])
    assert stability.stability_.value == pytest.approx(free.value)
    assert stability.stability_.value < stability_index(stability.selected_).value - 0.3
    assert stability.expected_false_ == pytest.approx(3**2 / 10 / 0.5)


def test_all_columns_included_are_a_stable_selection(ranking, X, classes):
    ranking.set_params(n_features_to_select=6, include=list(range(6)))
    stability = StabilitySelection(ranking, n_subsamples=4, refit=False).fit(X, classes)
    assert (stability.stability_.value, stability.expected_false_) == (1, 0)


def test_a_group_of_columns_counts_once(ranking, X, classes):
    """A group has many columns, and noise one column each: the numbers are those of single ones."""
    wide = np.c_[X, np.repeat(X[:, [1]], 4, axis=1)]
    ranking.set_params(feature_groups={"twins": [1, 6, 7, 8, 9]})
    stability = StabilitySelection(ranking, n_subsamples=20).fit(wide, classes)
    single = StabilitySelection(
        clone(ranking).set_params(feature_groups=None), n_subsamples=20
    ).fit(X, classes)
    np.testing.assert_array_equal(stability.selected_[:, :6], single.selected_)
    assert stability.stability_ == single.stability_
    assert stability.expected_false_ == single.expected_false_
    assert stability.rows_.n_stable == int(single.stable_.sum()) < int(stability.stable_.sum())
    sentence = single.rows_.sentence.replace(
        "of the rows", "of the rows, where a group counts as one"
    )
    assert stability.rows_.sentence == sentence


def test_tables_with_categories_and_gaps(ranking, X, classes):
    table = pd.DataFrame(X, columns=list("abcdef")).assign(color=np.tile(["red", "green"], 40))
    table.loc[::7, "a"] = np.nan
    table["twin"] = table["b"] * 2 + np.tile([0, 1e-2], 40)  # nearly a copy
    ranking.set_params(missing="impute", n_features_to_select=3)
    stability = StabilitySelection(ranking, n_subsamples=10).fit(table, classes)
    assert stability.get_feature_names_out().tolist() == ["b", "e", "twin"]
    assert stability.clusters_ == [[1, 7]]


def test_the_method_is_compared_once_and_used_for_all_subsamples(ranking, X, classes):
    ranking.set_params(method="auto", max_epochs=30, learning_rate=1e-2, n_features_to_select=1)
    easy = np.c_[X[:, :2], 5 * (classes == classes[0])]
    stability = StabilitySelection(ranking, n_subsamples=4).fit(easy, classes == classes[0])
    assert stability.selector_.method_ in stability.comparison_["method"]
    assert stability.selector_.comparison_ is stability.comparison_
    assert stability.consensus_.tolist() == [2]


def test_without_a_decoder_there_are_frequencies_only(ranking, X, classes):
    stability = StabilitySelection(ranking, n_subsamples=4, refit=False).fit(X, classes)
    whole = StabilitySelection(ranking, n_subsamples=4).fit(X, classes)
    np.testing.assert_array_equal(stability.frequency_, whole.frequency_)
    with pytest.raises(InputError, match="With refit=False, no decoder is trained"):
        stability.predict(X)


def test_the_bounds_are_those_of_shah_and_samworth():
    """Worst case: θ q / (2 τ − 1). Unimodal: as in the R package stabs, with B = 50 pairs."""
    assert expected_false(200, 10, 0.6) == pytest.approx(10 * 10 / 200 / 0.2)
    assert expected_false(200, 10, 0.6, 50) == pytest.approx(0.5 / (2 * (2 * 0.6 - 1 - 0.01)))
    assert expected_false(200, 10, 0.9, 50) == pytest.approx(0.5 / (1.02 / (4 * (0.1 + 0.01))))
    assert expected_false(10, 9, 0.6, 50) == pytest.approx(10)  # no better than the trivial one


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"bound": "best"}, "bound='best' is not understood"),
        ({"correlated": 1.2}, "correlated=1.2 is not understood"),
        ({"n_subsamples": 5}, "is odd"),
        ({"n_subsamples": 0}, "expected a positive integer"),
        ({"threshold": 0.5}, "more than 0.5"),
    ],
)
def test_mistakes_are_answered_before_any_training(settings, message, ranking, X, classes):
    with pytest.raises(InputError, match=message):
        StabilitySelection(ranking, **settings).fit(X, classes)


def test_the_blocks_of_the_page_run_in_order(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)

    def quickly(command):
        run_in_process([*command, "--epochs", "5", "--no-verdict"])

    names = run_page(HOW_TO / "stability.md", quickly)
    stable = (tmp_path / "stable" / "selected.txt").read_text(encoding="utf-8").split("\n")
    assert len(stable) == 6
    assert len(names["stability"].consensus_) == 5
    assert names["stability"].clusters_
    assert (tmp_path / "frequency.png").read_bytes().startswith(b"\x89PNG")


def test_the_progress_of_a_ranking_knows_the_rest(ranking, X, classes, capsys, monkeypatch):
    monkeypatch.setattr("ipcae.training.progress.progress_line._LINE_SECONDS", 0.0)
    StabilitySelection(ranking, n_subsamples=20, verbose=1).fit(X, classes)
    said = capsys.readouterr().err
    assert "ranking      10/20" in said
    assert "left" in said.partition("10/20")[2].splitlines()[0]
