"""Confusion matrices and calibration charts in reports."""

import numpy as np

from ipcae.report.details.classification import _calibration_chart, most_confused


def test_few_classes_are_all_shown():
    assert most_confused(np.eye(3, dtype=np.int64), 3) == [0, 1, 2]


def test_the_classes_of_the_most_frequent_errors_are_shown_first():
    counts = np.diag(np.full(427, 5))
    counts[300, 7], counts[40, 41] = 9, 3
    assert most_confused(counts, 2) == [7, 300]
    assert most_confused(counts, 4) == [7, 40, 41, 300]


def test_without_errors_the_most_common_classes_are_shown():
    assert most_confused(np.diag([1, 5, 2, 4]), 2) == [1, 3]


def test_every_class_that_is_confused_is_shown_with_another():
    random = np.random.default_rng(0)
    counts = random.poisson(0.01, size=(427, 427)) + np.diag(np.full(427, 2))
    shown = most_confused(counts, 20)
    errors = (counts - np.diag(counts.diagonal()))[np.ix_(shown, shown)]
    assert len(shown) == 20
    assert (errors.sum(0) + errors.sum(1) > 0).all()


def test_the_calibration_chart_ends_at_100_percent():
    chart = _calibration_chart(np.linspace(0.95, 1, 40), np.ones(40, dtype=bool))
    assert (chart.y.low, chart.y.high) == (90, 100)
