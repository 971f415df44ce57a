"""Splitting rows into training rows and held-out test rows."""

import numpy as np
import pytest

from ipcae.cli.splitting import split_rows
from ipcae.errors import InputError


def test_classes_are_balanced_where_they_can_be():
    classes = np.repeat(["a", "b", "c"], [50, 30, 20])
    train, test = split_rows(100, classes, 0.2, seed=1)
    assert sorted([*train, *test]) == list(range(100))
    assert np.unique(classes[test], return_counts=True)[1].tolist() == [10, 6, 4]


def test_a_class_with_one_row_is_learned_from():
    classes = np.array(["rare"] + ["a", "b"] * 15)
    for seed in range(5):
        train, test = split_rows(31, classes, 0.2, seed)
        assert 0 in train
        assert len(test) == 6


def test_more_classes_than_test_rows_are_split_as_they_come():
    classes = np.repeat(list("abcdefghij"), 2)
    train, test = split_rows(20, classes, 0.2, seed=0)
    assert sorted([*train, *test]) == list(range(20))
    # A class whose rows were both drawn for the test gives one back.
    assert 3 <= len(test) <= 4


def test_the_split_depends_on_the_seed_alone():
    first, again, other = (split_rows(50, None, 0.2, seed)[1].tolist() for seed in (0, 0, 1))
    assert first == again != other


def test_too_few_rows_are_refused():
    with pytest.raises(InputError, match="too few to hold out 10"):
        split_rows(12, None, 0.8, seed=0)


def test_every_class_has_a_training_row():
    classes = np.repeat([f"c{i}" for i in range(40)], 2)
    for seed in range(10):
        train, test = split_rows(80, classes, 0.4, seed)
        assert set(classes[train]) == set(classes)
        assert sorted([*train, *test]) == list(range(80))
