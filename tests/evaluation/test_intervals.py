"""Bootstrap intervals contain the truth about as often as they promise."""

import time

import numpy as np
import torch
from scipy.stats import binom

from ipcae.evaluation import bootstrap_intervals
from ipcae.tables import fit_scaler
from ipcae.tasks import Classification, Reconstruction


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
