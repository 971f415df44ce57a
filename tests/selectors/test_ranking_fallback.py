"""A joint selection, unless a ranking's predicts better."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
import torch

from ipcae import ClassificationSelector
from ipcae.losses import CrossEntropy
from ipcae.rows import Rows
from ipcae.runs import Runs
from ipcae.selection import Selection
from ipcae.selectors import Anova, Concrete, Shortlist, ranking_fallback, shortlist
from ipcae.selectors.ranking_fallback import (
    better_selections,
    decoded,
    sufficient_selections,
    with_better,
)
from ipcae.training import Plan, Problem
from tests.problems import problem

N_FEATURES = 12
TRUTH = {3, 7}


@pytest.fixture(scope="module")
def stated() -> Problem:
    """Return two runs on 120 rows, whose classes two of twelve correlated columns decide."""
    random = np.random.default_rng(0)
    X = random.normal(size=(120, N_FEATURES)) + random.normal(size=(120, 1))
    rows = Rows(torch.from_numpy(X).float(), torch.from_numpy((X[:, 3] > X[:, 7]).astype(np.int64)))
    plan = Plan(max_epochs=1, batch_size=32)
    return problem(CrossEntropy(), rows, rows, Runs.of([5, 6], 1e-2), plan, n_selected=2)


def test_a_ranking_that_predicts_better_is_preferred_run_by_run(stated):
    choice = Concrete().choose(stated)
    better, worse = (Selection.of(np.array(c), N_FEATURES) for c in ([3, 7], [0, 1]))
    joint = Selection.of(np.array([2, 3]), N_FEATURES)
    choice.selections[:] = joint, joint
    found = better_selections(stated, [joint, joint], [[worse], [worse, better]], n_errors=2)
    both = with_better(stated, choice.of_runs([0]), found)
    assert both.selections == [joint, better]
    assert set(both.history.columns()["run"]) == {0, 1}
    phases = both.history.starts()
    assert sorted(phases, key=phases.get) == ["selecting", "decoding"]
    for name, tensor in choice.params.items():
        assert torch.equal(tensor[0], both.params[name][0]), name
    alone = stated.of_runs([1])
    of_second = decoded(alone, {0: better}, choice.model.n_selected, 0.0)
    assert of_second.validation_loss[0] == both.validation_loss[1]
    for name, tensor in of_second.params.items():
        assert torch.equal(tensor[0], both.params[name][1]), name


def test_an_interrupted_choice_leaves_out_runs_that_have_no_decoder_yet(stated):
    better = Selection.of(np.array([3, 7]), N_FEATURES)
    first = Concrete().choose(stated).of_runs([0])
    found = with_better(stated, replace(first, status=["interrupted"]), {1: better})
    assert found.status == ["interrupted"] * 2
    assert found.validation_loss[0] == first.validation_loss[0]
    assert found.validation_loss[1] == np.inf


def test_a_network_that_has_learned_nothing_does_not_spoil_what_the_ranking_found(stated):
    ranking = Anova()
    joint = Concrete().choose(stated)
    assert all(set(selection.features) != TRUTH for selection in joint.selections)
    found = Shortlist(ranking, factor=6).choose(stated)
    assert [set(selection.features) for selection in found.selections] == [TRUTH, TRUTH]


@pytest.mark.parametrize(("n_rows", "expected"), [(1000, True), (100, False)])
def test_other_rankings_are_compared_up_to_a_number_of_rows(monkeypatch, n_rows, expected):
    """ANOVA prefers copies of one column, and a network without training finds nothing."""
    monkeypatch.setattr(shortlist, "FEWEST_NOT_COMPARED", n_rows)
    random = np.random.default_rng(1)
    X = random.normal(size=(120, 8))
    y = (2 * X[:, 0] + X[:, 7] > 0).astype(np.int64)
    X[:, 1:4] = X[:, :1] + 0.1 * random.normal(size=(120, 3))
    rows = Rows(torch.from_numpy(X).float(), torch.from_numpy(y))
    plan = Plan(max_epochs=1, batch_size=32)
    stated = problem(CrossEntropy(), rows, rows, Runs.of([5], 1e-9), plan, n_selected=2)
    (found,) = Shortlist(Anova(), factor=1).choose(stated).selections
    assert (7 in found.features) == expected


def test_no_network_is_trained_if_the_ranking_is_as_good_as_all_candidates():
    """The class depends on two of eight columns, which every ranking finds."""
    random = np.random.default_rng(1)
    X = random.normal(size=(200, 8)) + 0.5 * random.normal(size=(200, 1))
    y = X[:, 0] + X[:, 5] > 0
    settings = {"n_runs": 2, "max_epochs": 2, "decoder": (8,), "random_state": 0}
    selector = ClassificationSelector(2, method="shortlist", **settings).fit(X, y)
    assert selector.get_support(indices=True).tolist() == [0, 5]
    assert "selecting" not in selector.history_["phase"]
    assert selector.selection_.measure == "score"
    assert np.isnan(selector.other_seeds_).all()


def test_a_network_is_trained_if_the_candidates_are_better_than_the_ranking(stated):
    """The ranking selects one of two columns that decide the class together."""
    wrong = [Selection.of(np.array(columns), N_FEATURES) for columns in ([0, 1], [3, 4])]
    right = Selection.of(np.array([3, 7]), N_FEATURES)
    every = np.arange(N_FEATURES)
    assert sufficient_selections(stated, every, [wrong, wrong]) == {}
    assert sufficient_selections(stated, every, [wrong, [*wrong, right]]) == {1: right}


def test_a_single_feature_is_selected_by_the_rankings(stated):
    worse, better = (Selection.of(np.array([column]), N_FEATURES) for column in (0, 3))
    one = replace(stated, n_selected=1)
    every = np.arange(N_FEATURES)
    assert sufficient_selections(one, every, [[worse, better], [worse]]) == {0: better, 1: worse}


@pytest.mark.parametrize(("n_rows", "expected"), [(1000, True), (100, False)])
def test_the_smallest_errors_decide_among_several_rankings(monkeypatch, stated, n_rows, expected):
    """The errors for the true columns are smaller, but by less than a standard error."""

    def errors(examples, sets):
        noise = np.resize([0.9, -1.0], len(examples.inputs))
        return [noise if set(each) == TRUTH else np.zeros(len(noise)) for each in sets]

    monkeypatch.setattr(ranking_fallback, "errors_of_columns", errors)
    monkeypatch.setattr(shortlist, "FEWEST_NOT_COMPARED", n_rows)
    found = Shortlist(Anova(), factor=6).choose(stated)
    assert [set(each.features) == TRUTH for each in found.selections] == [expected, expected]


def test_runs_with_either_selection_can_be_joined_if_groups_have_several_sizes():
    random = np.random.default_rng(2)
    X = pd.DataFrame(random.normal(size=(80, 5)), columns=list("abcde"))
    ill = X.a + X.b + 0.5 * random.normal(size=80) > 0
    X["f"], X["g"] = (X[name] + 0.3 * random.normal(size=80) for name in "ab")
    X["shift"] = random.choice(["early", "late", "night"], 80)
    selector = ClassificationSelector(
        2, method="shortlist", n_runs=4, max_epochs=3, fine_tune=False, random_state=2
    ).fit(X, ill)
    assert len(selector.get_feature_names_out()) == 2
    assert selector.score(X, ill) > 0.7
