"""Noise is not called better than chance, planted signals are."""

import json
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
import torch
from scipy import sparse
from scipy.stats import binom

from ipcae import (
    ClassificationSelector,
    InputError,
    ReconstructionSelector,
    RegressionSelector,
    SelectorCV,
    chance_test,
)
from ipcae.evaluation import (
    Association,
    ChanceTest,
    association,
    association_of,
    compare_with_chance,
    read_sample,
)
from ipcae.evaluation.folds import Data, folds_of
from ipcae.evaluation.permutations import standardized
from ipcae.tasks import TASKS, Classification, Regression

QUICK = {"max_epochs": 4, "decoder": (8,), "random_state": 0}


@pytest.fixture(scope="module")
def X():
    return np.random.default_rng(0).normal(size=(80, 12))


def test_noise_is_called_signal_no_more_often_than_the_level_says():
    selector, called = ClassificationSelector(3, method="anova", **QUICK), 0
    for seed in range(25):
        random = np.random.default_rng(seed)
        X, y = random.normal(size=(40, 30)), np.repeat([0, 1], [12, 28])
        called += chance_test(selector, X, y, random_state=seed).better
    assert called <= binom.ppf(0.999, 25, 0.05)


@pytest.mark.parametrize("method", ["ip-cae", "random-forest"])
def test_a_planted_feature_of_classes_is_found(X, method):
    X, y = X.copy(), np.repeat(["rare", "common"], [20, 60])
    X[:20, 4] += 2.5
    settings = {**QUICK, "max_epochs": 25, "learning_rate": 0.01}
    test = chance_test(ClassificationSelector(3, method=method, **settings), X, y)
    assert test.better
    assert test.sentence.startswith("Better than chance (p ")
    assert not test.no_more_accurate
    assert test.baseline < test.score
    assert test.metric == "roc_auc"
    assert test.score > 0.6
    assert test.statistic > np.quantile(test.null, 0.95)


def test_many_rows_in_the_order_of_their_classes_are_tested_on_all_classes(monkeypatch):
    monkeypatch.setattr(association, "_MOST_ROWS", 30)
    X, y = np.random.default_rng(0).normal(size=(400, 4)), np.repeat(["a", "b"], [240, 160])
    X[240:, 1] += 3
    assert chance_test(ClassificationSelector(1, method="anova", **QUICK), X, y).better


def test_groups_stay_with_their_rows_if_some_have_an_unknown_class():
    X, y = np.random.default_rng(0).normal(size=(60, 4)), np.repeat(["a", "b"], 30)
    selector = ClassificationSelector(1, method="anova", **QUICK).fit(X, y)
    labels, groups = y.astype(object), np.arange(60)
    labels[5] = "c"
    sample = read_sample(selector, X, labels, groups)
    assert sample.groups.tolist() == [i for i in range(60) if i != 5]
    few = sample.at_most(20)
    np.testing.assert_allclose(few.rows.inputs[:, 0], X[few.groups, 0], rtol=1e-6)
    with pytest.raises(InputError, match="expected one group per row"):
        read_sample(selector, X, labels, groups[:9])


def test_numbers_and_labels(X):
    settings = {**QUICK, "max_epochs": 25, "learning_rate": 0.01}
    y = X[:, 2] - X[:, 5]
    assert chance_test(RegressionSelector(3, method="lasso", **settings), X, y).better
    labels = np.stack([X[:, 2] > 0, X[:, 5] > 0], 1).astype(int)
    assert chance_test(
        ClassificationSelector(3, method="random-forest", **settings), X, labels
    ).better


def test_columns_that_tell_nothing_about_each_other_cannot_be_reconstructed(X):
    selector = ReconstructionSelector(3, method="pfa", **{**QUICK, "max_epochs": 20})
    assert not chance_test(selector, X).better
    related = np.hstack([X[:, :4], X[:, :4] + 0.3 * X[:, 4:8]])
    assert chance_test(selector, related).better


def grouped_noise(seed, n_groups=12, size=6):
    """Groups whose rows are alike, with one target each: 12 independent rows, not 72."""
    random = np.random.default_rng(seed)
    groups = np.repeat(np.arange(n_groups), size)
    X = random.normal(size=(n_groups, 20))[groups] + 0.3 * random.normal(size=(len(groups), 20))
    return X, random.permutation(n_groups)[groups] % 2, groups


@pytest.mark.filterwarnings("ignore:rows seem to depend on each other")
def test_rows_of_a_group_do_not_count_as_independent_ones():
    selector = ClassificationSelector(3, method="anova", **{**QUICK, "max_epochs": 10})
    called = {True: 0, False: 0}
    for seed in range(8):
        X, y, groups = grouped_noise(seed)
        for known in called:
            test = chance_test(selector, X, y, groups=groups if known else None)
            called[known] += test.better
    assert called[True] <= binom.ppf(0.999, 8, 0.05) < called[False]
    assert "with these 72 rows of 12 groups" in replace(test, n_groups=12, p_value=0.5).sentence


def test_a_signal_is_found_in_groups():
    X, y, groups = grouped_noise(0, n_groups=24)
    X[:, 4] += 3 * y
    selector = ClassificationSelector(3, method="anova", **{**QUICK, "max_epochs": 20})
    test = chance_test(selector, X, y, groups=groups)
    assert test.better
    assert (test.n_groups, test.n_rows) == (24, 144)
    assert not test.undecidable


def test_too_few_groups_for_any_result_are_not_called_chance():
    """Each of six machines is predicted from the others, but six signs are too few."""
    random = np.random.default_rng(0)
    X, machine = random.normal(size=(120, 5)), np.arange(120) % 6
    selector = RegressionSelector(2, method="lasso", **QUICK)
    test = chance_test(selector, X, X[:, 0] - 2 * X[:, 3], groups=machine)
    assert test.score > 0
    assert test.p_value == test.least_p > test.level
    assert test.undecidable
    assert test.sentence.startswith("Too few groups to tell from chance: with these 120 rows of 6")
    assert ChanceTest.from_summary(json.loads(json.dumps(test.summary()))) == test
    assert test.headline == "Too few groups to tell from chance"


def test_the_verdict_begins_with_its_headline():
    better = ChanceTest(0.01, 3.1, 0.9, "accuracy", 5, 80, baseline=0.5)
    doubtful = replace(better, dependent=True)
    assert doubtful.headline != better.headline
    for test in (better, doubtful, replace(better, score=0.4), replace(better, p_value=0.3)):
        assert test.sentence.startswith(f"{test.headline} ({test.p_text}")
    assert ChanceTest.from_summary(doubtful.summary()) == doubtful


def test_the_null_distribution_of_a_single_fold_is_not_widened(X):
    y = X[:, 3] + 0.1
    selector = RegressionSelector(2, method="lasso", **QUICK).fit(X[:40], y[:40])
    sample = read_sample(selector, X[40:], y[40:])
    one, two = (
        association_of([selector] * n, [sample] * n, n_permutations=2000, seed=0) for n in (1, 2)
    )
    assert one.null.std() == pytest.approx(1, rel=0.05)
    assert two.null.std() == pytest.approx(1, rel=0.05)
    ratio = one.statistic / two.statistic  # √2 for two folds, 1/√2 for widening
    assert ratio == pytest.approx(1, rel=0.02)


def test_signs_of_groups_keep_the_level():
    random, called = np.random.default_rng(0), 0
    groups = np.repeat(np.arange(8), 3)
    for _ in range(300):
        predicted, true = (random.normal(size=8)[groups, None] for _ in "pt")
        statistic, null, _ = standardized(predicted, true, groups, 199, random)
        called += (1 + (null >= statistic).sum()) / 200 <= 0.05
    assert called <= binom.ppf(0.999, 300, 0.05)


def test_more_attempts_do_not_make_noise_better_than_chance():
    random = np.random.default_rng(0)
    null = random.normal(size=(10, 2000))
    one = [Association(2.0, row, 0.5, "accuracy", 5, 80) for row in null]
    assert compare_with_chance(one[:1]).p_value < 0.04
    assert compare_with_chance(one).p_value > 0.1


def test_compared_methods_and_numbers_of_features_are_tested_together(X):
    y = np.repeat([0, 1], 40)
    auto = ClassificationSelector(3, method="auto", **{**QUICK, "max_epochs": 2})
    assert not chance_test(auto, X, y).better
    ranked = ClassificationSelector(method="anova", **{**QUICK, "max_epochs": 20})
    counts = SelectorCV(ranked, n_features_to_select=[1, 3])
    assert not chance_test(counts, X, y).better
    planted = X.copy()
    planted[:40, 5] += 3
    both = chance_test(counts, planted, y)
    assert both.better
    assert "in 3-fold cross-validation, chosen from 2)." in both.sentence
    assert ChanceTest.from_summary(both.summary()).n_compared == 2
    # A clear result needs no further methods: Bonferroni's correction is for those left out.
    clear = chance_test(auto.set_params(max_epochs=40), planted, y)
    ranked.set_params(n_features_to_select=3, max_epochs=40)
    assert clear.better
    assert clear.p_value > chance_test(ranked, planted, y).p_value


def test_the_test_repeats_itself_and_leaves_the_selector_alone(X):
    selector = ClassificationSelector(3, method="anova", n_runs=3, **QUICK)
    y = (X[:, 0] > 0).astype(int)
    first = chance_test(selector, X, y)
    assert first == chance_test(selector, X, y)
    np.testing.assert_array_equal(first.null, chance_test(selector, X, y).null)
    assert not hasattr(selector, "params_")
    assert selector.n_runs == 3


def test_one_run_has_the_first_of_several_learning_rates(X):
    settings = {**QUICK, "method": "ip-cae"}
    several = RegressionSelector(2, n_runs=2, learning_rate=[0.01, 1.0], **settings)
    alone = RegressionSelector(2, learning_rate=0.01, **settings)
    tests = [chance_test(each, X, X[:, 3]) for each in (several, alone)]
    assert tests[0].statistic == tests[1].statistic


def test_frames_sparse_matrices_tensors_and_lists_give_the_same(X):
    selector, y = ClassificationSelector(3, method="anova", **QUICK), (X[:, 0] > 0).astype(int)
    frame = pd.DataFrame(X, columns=[f"c{i}" for i in range(12)])
    expected = chance_test(selector, X, y).p_value
    assert chance_test(selector, frame, pd.Series(y)).p_value == expected
    assert chance_test(selector, torch.from_numpy(X), y.tolist()).p_value == expected
    assert chance_test(selector, sparse.csr_array(X), y).p_value == expected


def test_the_folds_spread_classes_and_the_second_largest_limits_their_number():
    y = np.repeat(["a", "b", "c"], [20, 3, 3])
    folds = folds_of(Data(np.zeros((26, 1)), y), Classification, 5, seed=0)
    assert len(folds) == 3
    for train, test in folds:
        assert set(y[test]) == set(y[train]) == {"a", "b", "c"}
    assert sorted(np.concatenate([test for _, test in folds])) == list(range(26))
    alone = np.repeat(["a", "b"], [31, 1])
    assert len(folds_of(Data(np.zeros((32, 1)), alone), Classification, 5, seed=0)) == 2


@pytest.mark.parametrize("n_rows", [2, 3, 4])
def test_a_rare_class_is_spread_over_the_folds_of_the_others(n_rows):
    y = np.repeat(["a", "b", "c"], [20, 11, n_rows])
    folds = folds_of(Data(np.zeros((31 + n_rows, 1)), y), Classification, 5, seed=0)
    assert [sum(y[test] == "c") for _, test in folds].count(1) == n_rows
    assert len(folds) == 5


def test_two_rare_classes_do_not_hide_what_tells_the_others_apart():
    random = np.random.default_rng(0)
    y = np.repeat(["a", "b", "c", "d"], [30, 26, 2, 2])
    X = random.normal(size=(60, 6))
    X[:, 0] += 2 * (y == "a")
    selector = ClassificationSelector(2, method="anova", **{**QUICK, "max_epochs": 20})
    test = chance_test(selector, X, y)
    assert test.p_value < 0.01
    assert test.n_folds == 3


def test_a_class_of_a_single_row_does_not_reduce_the_folds_of_the_others():
    y = np.repeat(["a", "b", "c"], [20, 11, 1])
    assert len(folds_of(Data(np.zeros((32, 1)), y), Classification, 5, seed=0)) == 5


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"cv": 1}, "expected at least 2 folds"),
        ({"n_repeats": 0}, "n_repeats=0 is not understood: expected at least 1"),
        ({"cv": 50}, "too few for 50 folds: expected at least 100"),
        ({"level": 2}, "level=2 is not a probability"),
        ({"n_permutations": 9}, "too few for level=0.05: expected at least 20"),
        ({"groups": [1, 2, 3]}, "groups has shape \\(3,\\) for 80 rows"),
        ({"groups": np.arange(80) % 4}, "4 groups of rows, too few .* at least 6"),
    ],
)
def test_invalid_arguments_raise_an_error_before_any_training(X, arguments, message):
    def never(report):
        raise AssertionError("nothing may be trained")

    selector = RegressionSelector(3, callbacks=never, **QUICK)
    with pytest.raises(InputError, match=message):
        chance_test(selector, X, X[:, 0], **arguments)


def test_a_summary_is_json_and_is_read_again(X):
    test = chance_test(RegressionSelector(3, method="lasso", **QUICK), X, X[:, 0])
    summary = json.loads(json.dumps(test.summary()))
    again = ChanceTest.from_summary(summary)
    assert again == test
    assert again.summary() == test.summary()
    with pytest.raises(ValueError, match="not the summary"):
        ChanceTest.from_summary({**summary, "metric": "no such metric"})


@pytest.mark.parametrize("name", ["classification", "multilabel", "regression", "reconstruction"])
def test_outputs_that_equal_the_target_have_the_largest_sum_of_all_permutations(name):
    random = np.random.default_rng(0)
    X = torch.from_numpy(random.normal(size=(30, 3)))
    y = {"classification": np.arange(30) % 3, "multilabel": random.integers(0, 2, (30, 3))}
    task = TASKS[name].read(y.get(name, X.numpy()), X)
    encoded = task.encode(y.get(name, X.numpy()), X)
    targets = X if encoded is None else encoded
    outputs = torch.eye(3).double()[targets] if targets.ndim == 1 else targets.double()
    predicted, true = task.association(outputs, targets)
    assert predicted.shape == true.shape
    best = (predicted * true).sum()
    for _ in range(50):
        assert (predicted * true[random.permutation(30)]).sum() <= best + 1e-9


def test_a_task_with_other_targets_must_say_it_itself():
    task = Regression(2, single=False)
    with pytest.raises(InputError, match=r"Regression does not define association\(\)"):
        task.association(torch.zeros(4, 2), torch.zeros(4, 3))
