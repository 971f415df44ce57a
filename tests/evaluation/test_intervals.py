"""The intervals of metrics contain the truth about as often as they promise."""

import time

import numpy as np
import pytest
import torch
from scipy.stats import binom

from ipcae.evaluation import Evaluation, bootstrap_intervals
from ipcae.tables import fit_scaler
from ipcae.tasks import Classification, Reconstruction, Regression


def coin_flips(n_rows, right, random):
    """Outputs and targets of a classifier that is right with a known probability."""
    targets = torch.from_numpy(random.integers(0, 2, n_rows))
    correct = torch.from_numpy(random.random(n_rows) < right)
    predicted = torch.where(correct, targets, 1 - targets)
    return torch.nn.functional.one_hot(predicted, 2).double(), targets


def test_an_interval_is_that_of_the_binomial_distribution():
    random = np.random.default_rng(0)
    outputs, targets = coin_flips(400, 0.8, random)
    task = Classification(np.arange(2))
    accuracy = task.metrics(outputs, targets)["accuracy"]
    expected = binom.ppf([0.025, 0.975], 400, accuracy) / 400
    np.testing.assert_allclose(
        bootstrap_intervals(task, outputs, targets)["accuracy"], expected, atol=0.006
    )


def test_the_true_accuracy_is_inside_most_of_the_time():
    random, task, inside = np.random.default_rng(0), Classification(np.arange(2)), 0
    for seed in range(100):
        low, high = bootstrap_intervals(task, *coin_flips(200, 0.8, random), seed=seed)["accuracy"]
        inside += low <= 0.8 <= high
    assert 88 <= inside <= 100


def test_the_interval_of_a_brier_score_from_few_rows_ends_at_its_largest_value():
    outputs = torch.tensor([[9.0, 0.0], [0.1, 0.0]], dtype=torch.float64)
    task, targets = Classification(np.arange(2)), torch.tensor([0, 1])
    _, high = bootstrap_intervals(task, outputs, targets)["brier_score"]
    assert high == 2


def separated(n_rows, share, shift, random):
    """Outputs and targets of two classes whose outputs differ by a shift."""
    targets = torch.from_numpy((random.random(n_rows) < share).astype(int))
    outputs = torch.zeros(n_rows, 2, dtype=torch.float64)
    outputs[:, 1] = shift * targets + torch.from_numpy(random.normal(size=n_rows))
    outputs[:, 0] = shift / 2
    return outputs, targets


@pytest.mark.parametrize("metric", ["accuracy", "balanced_accuracy", "roc_auc"])
@pytest.mark.parametrize(("n_rows", "share", "shift"), [(20, 0.5, 3.5), (60, 0.1, 1), (60, 0.1, 4)])
def test_near_one_and_with_a_rare_class_the_truth_is_inside(metric, n_rows, share, shift):
    random, task = np.random.default_rng(0), Classification(np.arange(2))
    truth = task.metrics(*separated(100_000, share, shift, random))[metric]
    inside = []
    for seed in range(40):
        found = bootstrap_intervals(task, *separated(n_rows, share, shift, random), seed=seed)
        if metric in found:
            inside.append(found[metric][0] <= truth <= found[metric][1])
    assert np.mean(inside) >= 0.9


def test_a_perfect_score_is_not_certain_to_be_perfect():
    targets = torch.tensor([0, 1]).repeat(20)
    outputs = torch.nn.functional.one_hot(targets, 2).double()
    found = bootstrap_intervals(Classification(np.arange(2)), outputs, targets)
    for metric in ("accuracy", "balanced_accuracy", "roc_auc"):
        low, high = found[metric]
        assert 0.9 < low < 0.96
        assert high == 1


def test_a_constant_prediction_explains_nothing_of_the_variance():
    random = np.random.default_rng(0)
    unit = torch.tensor([[-1.0], [1.0]], dtype=torch.float64)
    task, inside = Regression(1, single=True, scaler=fit_scaler(unit, "standard")), 0
    for seed in range(40):
        targets = torch.from_numpy(random.normal(size=(50, 1)))
        low, high = bootstrap_intervals(task, torch.zeros_like(targets), targets, seed=seed)["r2"]
        inside += low <= 0 <= high
    assert inside >= 36


def test_rows_of_a_group_are_not_independent():
    random, task = np.random.default_rng(1), Classification(np.arange(2))
    groups, inside = np.arange(30).repeat(8), {"rows": 0, "groups": 0}
    for seed in range(60):
        outputs, targets = coin_flips(30, 0.7, random)
        repeated = outputs[groups], targets[groups]
        for name, given in (("rows", None), ("groups", groups)):
            found = bootstrap_intervals(task, *repeated, groups=given, seed=seed)
            low, high = found["accuracy"]
            inside[name] += low <= 0.7 <= high
    assert inside["rows"] < 45
    assert inside["groups"] >= 52


def test_many_rows_and_classes_take_seconds_at_most():
    random = np.random.default_rng(0)
    targets = torch.from_numpy(random.integers(0, 26, 3000))
    outputs = torch.from_numpy(random.normal(size=(3000, 26)))
    start = time.perf_counter()
    assert len(bootstrap_intervals(Classification(np.arange(26)), outputs, targets)) == 5
    assert time.perf_counter() - start < 20


def test_one_row_or_a_diverged_output_has_no_interval():
    task = Classification(np.arange(2))
    assert bootstrap_intervals(task, torch.zeros(1, 2), torch.tensor([0])) == {}
    assert bootstrap_intervals(task, torch.full((9, 2), torch.nan), torch.zeros(9).long()) == {}


def test_an_interval_contains_the_metric_though_repeated_rows_vary_less():
    rows = torch.from_numpy(np.random.default_rng(0).normal(size=(80, 300)))
    task = Reconstruction(300, fit_scaler(rows, "standard"))
    constant = task.baseline(rows).expand_as(rows)
    r2 = task.metrics(constant, rows)["r2"]
    low, high = bootstrap_intervals(task, constant, rows)["r2"]
    assert low < r2 < high


def test_losses_have_no_interval_if_no_error_was_seen():
    targets = torch.arange(20) % 2
    outputs = 4.0 * torch.nn.functional.one_hot(targets).double()
    task = Classification(np.arange(2))
    found = bootstrap_intervals(task, outputs, targets)
    assert found["accuracy"][0] < 1
    assert not {"log_loss", "brier_score"} & found.keys()
    targets[0] = 1
    assert {"log_loss", "brier_score"} <= bootstrap_intervals(task, outputs, targets).keys()


def test_a_handful_of_rows_is_too_few_to_judge_by():
    task, outputs = Classification(np.arange(2)), torch.zeros(4, 2)
    sentences = [
        Evaluation(task, outputs, torch.arange(n) % 2, {}, {}, {}).cautions for n in (4, 10, 8, 9)
    ]
    assert sentences[0][0].startswith("4 rows are too few for a reliable evaluation")
    assert [len(each) for each in sentences] == [1, 0, 1, 1]
