"""Copies of the target are reported, ordinary good columns are not."""

import numpy as np
import pytest
import torch
from sklearn.datasets import load_breast_cancer, load_iris, load_wine

from ipcae.evaluation import Sample, check_table
from ipcae.evaluation.leaks import _accuracy_of_one
from ipcae.rows import Rows
from ipcae.tasks import Classification, Multilabel, Reconstruction, Regression, Survival


def checks_of(task, X, y=None):
    X = torch.from_numpy(np.asarray(X, dtype=float))
    read = task.read(y, X)
    names = [f"c{i}" for i in range(X.shape[1])]
    return check_table(read, Sample(Rows(X, read.encode(y, X))), names)


def test_selected_columns_that_measure_the_same_are_named(noise):
    noise[:, 3] = (100 * noise[:, 2]).round(3)
    noise[:, 5] = noise[:, 2]
    names = [f"c{i}" for i in range(30)]
    sample = Sample(Rows(torch.from_numpy(noise), torch.from_numpy(noise[:, 0])))
    found = check_table(Regression(1, True), sample, names, [2, 3, 5, 7])
    assert found.similar == (("c2", "c3"), ("c2", "c5"), ("c3", "c5"))
    assert found.duplicates == (("c2", "c5"),)
    assert "measure the same (c2 and c3, c2 and c5, c3 and c5)" in found.sentences[-1]
    assert check_table(Regression(1, True), sample, names, [2, 7]).similar == ()


@pytest.fixture
def noise():
    return np.random.default_rng(0).normal(size=(120, 30))


@pytest.mark.parametrize("rows", [(60, 60), (18, 102), (40, 40, 40)])
def test_a_numbered_copy_of_the_classes_is_a_leak(noise, rows):
    y = np.repeat(np.arange(len(rows)), rows)
    renumbered = np.array([5, 1, 3])[y] + 0.01 * noise[:, 0]
    noise[:, 4] = renumbered
    assert checks_of(Classification, noise, y).leaks == ("c4",)


def test_classes_of_two_rows_are_checked_without_warnings():
    y = np.repeat(np.arange(40.0), 2)
    assert _accuracy_of_one(np.stack([y, np.zeros(80)], 1), y) == 1


def test_a_rounded_copy_of_a_number_is_a_leak(noise):
    y = np.exp(noise[:, 0]) + 3 * noise[:, 1]
    noise[:, 7] = np.round(y, 1)
    assert checks_of(Regression, noise, y).leaks == ("c7",)


def test_a_copy_of_one_label_is_a_leak(noise):
    y = (noise[:, :2] + np.random.default_rng(1).normal(size=(120, 2)) > 0).astype(int)
    noise[:, 9] = -y[:, 1]
    assert checks_of(Multilabel, noise, y).leaks == ("c9",)


def test_nothing_is_called_a_leak_in_ordinary_tables(noise):
    for load in (load_iris, load_wine, load_breast_cancer):
        assert checks_of(Classification, *load(return_X_y=True)).leaks == ()
    assert checks_of(Regression, noise, noise[:, 0] + 0.3 * noise[:, 1]).leaks == ()


def test_a_rare_class_that_some_column_separates_by_chance_is_not_a_leak():
    X = np.random.default_rng(0).normal(size=(30, 2000))
    assert checks_of(Classification, X, np.repeat([0, 1], [27, 3])).leaks == ()


def test_a_table_in_which_every_column_is_a_copy_has_no_leak():
    y = np.repeat([0, 1], 50)
    X = np.stack([y + 0.01 * i for i in range(12)], 1) + 0.01
    assert checks_of(Classification, X, y).leaks == ()


def test_identical_columns_are_named_in_groups_and_constant_ones_are_not(noise):
    noise[:, 3] = noise[:, 8] = noise[:, 1]
    noise[:, 5], noise[:, 6] = 0.0, -0.0
    noise[0, 10], noise[:, 11] = -0.0, noise[:, 10]
    noise[0, 11] = 0.0
    assert checks_of(Reconstruction, noise).duplicates == (("c1", "c3", "c8"), ("c10", "c11"))


def test_a_level_in_the_middle_of_a_category_may_be_a_leak(noise):
    y = np.repeat([0, 1], [100, 20])
    noise[:, 3] = np.where(y == 1, 2, np.arange(120) % 2 * 3 + np.arange(120) % 4 // 2)
    assert checks_of(Classification, noise, y).leaks == ("c3",)
    noise[:60, 3] = np.arange(60) % 5
    assert checks_of(Classification, noise, y).leaks == ()


def test_a_number_that_only_one_class_has_is_a_leak(noise):
    y = np.repeat([0, 1], [100, 20])
    noise[:, 6] = np.where(y == 1, noise[:, 6], np.nan)
    noise[::3, 7] = np.nan
    assert checks_of(Classification, noise, y).leaks == ("c6",)


def test_a_cause_that_only_rows_with_an_event_have_is_a_leak(noise):
    time, event = np.exp(noise[:, 0]), noise[:, 1] > 0
    noise[:, 6] = np.where(event, np.arange(120) % 3, 3)
    noise[:, 7] = np.where(event, time, np.nan)
    y = np.stack([time, event], 1)
    assert checks_of(Survival, noise[:, 2:], y).leaks == ("c4", "c5")


def test_constant_columns_have_no_leak():
    assert checks_of(Classification, np.ones((40, 3)), np.arange(40) % 2).leaks == ()


def test_a_category_made_from_a_number_is_a_leak_and_hides_no_other(noise):
    y = np.exp(noise[:, 0] + 0.5 * noise[:, 1])
    noise[:, 3] = np.array([2, 0, 1])[np.digitize(y, [0.7, 1.5])]
    noise[:, 5] = np.digitize(y, [0.3, 0.6, 1, 2, 4])
    noise[:, 6] = y > 1
    noise[:, 7] = np.log(y).round(2)
    assert checks_of(Regression, noise, y).leaks == ("c3", "c5", "c6", "c7")
    noise[0, 6] = y[0] <= 1
    assert "c6" not in checks_of(Regression, noise, y).leaks


def test_a_few_rows_in_order_by_chance_are_no_leak(noise):
    y = np.argsort(np.argsort(noise[:, 0])).astype(float)
    noise[:, 3] = y >= 119
    assert checks_of(Regression, noise[:, 1:], y).leaks == ()


def test_another_name_of_the_classes_is_a_leak_beside_good_columns():
    X, y = load_iris(return_X_y=True)
    renamed = np.array([1.0, 2.0, 0.0])[y]
    assert checks_of(Classification, np.column_stack([X, renamed]), y).leaks == ("c4",)


def test_a_power_of_the_target_is_a_leak_beside_a_good_column(noise):
    y = noise[:, 0] + 0.2 * noise[:, 1]
    noise[:, 4] = y**3
    assert checks_of(Regression, noise, y).leaks == ("c4",)


def test_an_identifier_by_which_the_rows_are_sorted_by_class_is_a_leak(noise):
    y = np.random.default_rng(1).permutation(120) % 2
    noise[:, 3] = np.argsort(np.argsort(y, kind="stable"), kind="stable")
    assert checks_of(Classification, noise, y).leaks == ("c3",)


def test_the_parts_of_a_total_and_the_factors_of_a_product_are_named(noise):
    parts = np.exp(noise)
    total = (parts[:, 2] + parts[:, 5]).round(4)
    assert checks_of(Regression, parts, total).parts == ("c2", "c5")
    found = checks_of(Regression, parts, (2 * parts[:, 1] / parts[:, 4] ** 2).round(5))
    assert (found.parts, found.leaks) == (("c1", "c4"), ())
    assert "can be computed from 2 columns (c1, c4)" in found.sentences[0]
    both = checks_of(Regression, noise, np.stack([noise[:, 0] - noise[:, 1], noise[:, 2] ** 2], 1))
    assert both.parts == ("c0", "c1")


def test_the_answers_that_add_up_to_a_score_are_named():
    answers = np.random.default_rng(0).integers(1, 6, size=(150, 30)).astype(float)
    assert len(checks_of(Regression, answers, answers[:, :20].sum(1)).parts) == 20


def test_columns_that_almost_determine_a_number_are_no_parts_of_it(noise):
    inexact = noise[:, 0] + noise[:, 1] + 0.05 * np.random.default_rng(1).normal(size=120)
    assert checks_of(Regression, noise, inexact).parts == ()
    assert checks_of(Regression, noise[:18], noise[:18, :2].sum(1)).parts == ()
    assert checks_of(Classification, noise, (noise[:, 0] > 0).astype(int)).parts == ()
