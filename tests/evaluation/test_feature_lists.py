"""Lists of features are trained alike, and what is redundant is found."""

import json
import signal

import numpy as np
import pandas as pd
import pytest

from ipcae import (
    ClassificationSelector,
    InputError,
    ReconstructionSelector,
    RegressionSelector,
    evaluate_features,
)
from ipcae.evaluation import without_feature
from ipcae.evaluation.column_names import find_features
from ipcae.evaluation.folds import Data
from ipcae.evaluation.list_fold import ListFold
from ipcae.report import list_html
from ipcae.selectors.given_features import GivenFeatures

QUICK = {"max_epochs": 25, "decoder": (16,), "learning_rate": 0.01, "random_state": 0}


@pytest.fixture(scope="module")
def table():
    """Columns a and b make the label and the number; c is almost a copy of b."""
    random = np.random.default_rng(0)
    X = pd.DataFrame(random.normal(size=(150, 8)), columns=list("abcdefgh"))
    X["c"] = X["b"] + 0.05 * X["c"]
    return X, np.where(X["a"] + X["b"] > 0, "sick", "well"), (X["a"] + X["b"]).to_numpy()


@pytest.fixture(scope="module")
def result(table):
    X, y, _ = table
    settings = {"cv": 3, "n_random": 6, "rankings": ["anova", "pfa"], "selected": True}
    selector = ClassificationSelector(method="random-forest", **QUICK)
    return evaluate_features(selector, ["a", "b", "c", "h"], X, y, **settings)


def test_an_interrupted_evaluation_does_not_claim_to_keep_something(table, monkeypatch):
    X, y, _ = table
    fit = ClassificationSelector.fit

    def interrupt(report):
        signal.raise_signal(signal.SIGINT)  # as Ctrl-C does

    def fit_interrupted(self, *rows, **more):
        return fit(self.set_params(callbacks=[interrupt]), *rows, **more)

    monkeypatch.setattr(ClassificationSelector, "fit", fit_interrupted)
    selector = ClassificationSelector(method="ip-cae", **QUICK)
    settings = {"cv": 2, "n_random": 1, "rankings": [], "selected": True}
    with pytest.raises(KeyboardInterrupt):  # a warning would be another error here
        evaluate_features(selector, ["a", "b"], X, y, **settings)


def test_the_lists_are_compared_on_the_same_folds(result):
    names = ["given", "selected by random-forest", "anova", "pfa", "random"]
    assert [score.name for score in result.scores] == names
    assert all(score.n_features == 4 for score in result.scores)
    assert {score.metrics["accuracy"].shape[-1] for score in result.scores} == {3}
    assert result.random.metrics["accuracy"].shape == (6, 3)
    assert result.given.mean("accuracy") > 0.85
    assert result.given.mean("accuracy") > result.random.mean("accuracy") + 0.1
    assert result.baseline == pytest.approx(0.5, abs=0.1)
    assert result.n_rows == 150


def test_lists_of_the_same_features_share_a_decoder(table):
    X, y, _ = table
    rows = np.arange(150)
    fold = ListFold.of(ClassificationSelector(**QUICK), Data(X, y), (rows[:100], rows[100:]))
    fold.score({"given": (1, 0), "same": (0, 1), "other": (0, 5)})
    assert fold.metrics["given"] == fold.metrics["same"]
    assert fold.metrics["given"] != fold.metrics["other"]


def test_decoders_to_compare_are_trained_alike_without_what_nobody_reads(table):
    X, y, _ = table
    lists = ((0, 1), (4, 5))
    whole, together, alone = (
        ClassificationSelector(2, method=method, n_runs=len(method.lists), **QUICK).fit(X, y)
        for method in (
            GivenFeatures(lists),
            GivenFeatures(lists, compared=True),
            GivenFeatures(lists[1:], compared=True),
        )
    )
    assert set(whole.history_["phase"]) - set(together.history_["phase"]) == {"fine-tuning"}
    assert (together.with_run(1).predict_proba(X) == alone.predict_proba(X)).all()
    assert not together.importance_.any()


def test_what_nothing_replaces_is_missed_and_copies_are_redundant(result):
    without = {each.name: each for each in result.without}
    assert result.without[0].name == "a"
    assert not without["a"].redundant
    assert without["b"].redundant
    assert without["b"].closest == "c"
    assert without["c"].closest == "b"
    assert without["b"].correlation > 0.99
    assert without["h"].redundant


def test_the_result_is_written_as_text_json_and_a_page(result):
    assert result.sentence.startswith("The given 4 features reach accuracy ")
    assert str(result) == result.sentence
    assert " of 6 random lists; the best other list, " in result.sentence
    assert json.loads(json.dumps(result.summary()))["without"][0]["feature"] == "a"
    page = list_html(result, "mine <b>")
    assert "mine &lt;b&gt;" in page
    assert "selected by random-forest" in page
    assert "redundant" in page


def test_numbers_columns_to_reconstruct_and_indices(table):
    X, _, y = table
    few = {"cv": 2, "n_random": 2}
    numbers = evaluate_features(RegressionSelector(**QUICK), [0, 1], X.to_numpy(), y, **few)
    assert numbers.features == ["x0", "x1"]
    assert numbers.given.mean("r2") > 0.5
    columns = evaluate_features(ReconstructionSelector(**QUICK), ["a"], X, **few)
    assert columns.without == []
    assert columns.sentence.startswith("The given feature reaches ")
    assert [score.name for score in columns.scores] == ["given", "pfa", "pivoted-qr", "random"]


def test_all_columns_have_no_random_lists_to_compare_with(table):
    X, y, _ = table
    both = evaluate_features(
        ClassificationSelector(**QUICK), ["a", "b"], X[["a", "b"]], y, cv=2, rankings=[]
    )
    assert both.random is None
    assert both.sentence.count("random") == 0


@pytest.mark.parametrize(
    ("features", "message"),
    [
        (["a", "bb"], '1 of 2 features is not in the table (bb): did you mean "b"?'),
        (["zzz", "yyy"], "2 of 2 features are not in the table (zzz, yyy): X has a, b, c."),
        ("abc", "expected a list of names or indices"),
        ([], "expected a list of names or indices"),
        (7, "features=7 is not understood: expected a list"),
        ([True], "is not in the table (True)"),
        ([False, False, False], "expected a list of names or indices of columns, or a mask"),
        ([3], "is not in the table (3)"),
    ],
)
def test_unknown_features_raise_an_error(features, message):
    with pytest.raises(InputError) as caught:
        find_features(features, ["a", "b", "c"])
    assert message in str(caught.value)


@pytest.mark.parametrize("form", [list, np.array, pd.Series])
def test_features_may_be_a_mask_as_get_support_returns_it(form):
    assert find_features(form([True, False, True]), ["a", "b", "c"]) == (0, 2)
    assert find_features(form([1, 0]), ["a", "b", "c"]) == (1, 0)


@pytest.mark.parametrize(
    ("groups", "message"),
    [(np.zeros(149), "groups has shape"), ([None] * 150, "groups has no value for 150")],
)
def test_every_row_needs_a_group(table, groups, message):
    X, y, _ = table
    with pytest.raises(InputError, match=message):
        evaluate_features(ClassificationSelector(**QUICK), ["a"], X, y, groups=groups)


def test_an_unknown_ranking_raises_an_error_before_any_training(table):
    X, y, _ = table
    with pytest.raises(InputError, match="rankings contains nothing, lasso: expected methods"):
        evaluate_features(
            ClassificationSelector(**QUICK), ["a"], X, y, rankings=["nothing", "lasso"]
        )


@pytest.mark.parametrize(("lists", "message"), [(((0, 0),), "1 different"), (((0, 9),), "0 to 7")])
def test_a_list_of_another_size_or_table_raises_an_error(table, lists, message):
    X, y, _ = table
    with pytest.raises(InputError, match=message):
        ClassificationSelector(2, method=GivenFeatures(lists), **QUICK).fit(X, y)


def test_ordered_answers_are_correlated_by_their_order_and_other_categories_are_not():
    answers = ["disagree", "neutral", "agree"] * 4
    rows = pd.DataFrame(
        {"first": answers, "second": answers, "color": ["red", "blue", "green"] * 4}
    )
    correlation = without_feature._correlations(rows, [0, 1, 2])
    assert correlation[0, 1] == pytest.approx(1)
    assert correlation[0, 2] == 0
