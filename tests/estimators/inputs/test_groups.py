"""Whole groups of rows are held out for validation."""

import numpy as np
import pandas as pd
import pytest
import torch
from sklearn.model_selection import GroupKFold

from ipcae import ClassificationSelector, ReconstructionSelector, SelectorCV
from ipcae.errors import InputError
from ipcae.rows import Rows
from ipcae.tables import split_rows

GROUPS = np.repeat(np.arange(8), 10)


def parts_of(rows, **options):
    """Return the row numbers of both parts."""
    return [part.inputs[:, 0].long().numpy() for part in split_rows(rows, seed=0, **options)]


@pytest.fixture
def numbered():
    return Rows(torch.arange(80.0)[:, None])


def test_no_group_is_divided(numbered):
    train, held_out = parts_of(numbered, fraction=0.25, strata=None, groups=GROUPS)
    assert len(held_out) == 20
    assert not set(GROUPS[train]) & set(GROUPS[held_out])
    assert sorted([*train, *held_out]) == list(range(80))


def test_every_class_keeps_training_rows(numbered):
    classes = (GROUPS >= 6).astype(int)  # one class occurs in two of eight groups only
    for fraction in (0.25, 0.5, 0.7):
        train, _ = parts_of(numbered, fraction=fraction, strata=classes, groups=GROUPS)
        assert set(classes[train]) == {0, 1}


def test_a_single_group_is_divided(numbered):
    alone = np.zeros(80)
    grouped = parts_of(numbered, fraction=0.25, strata=None, groups=alone)
    plain = parts_of(numbered, fraction=0.25, strata=None)
    np.testing.assert_array_equal(grouped[1], plain[1])


def test_a_class_of_a_single_group_is_divided(numbered):
    classes = GROUPS  # holding out any group would remove a class
    train, _ = parts_of(numbered, fraction=0.25, strata=classes, groups=GROUPS)
    assert set(classes[train]) == set(classes)


def test_the_validation_loss_is_that_of_new_groups(quick):
    """The rows of a group are alike, but groups of the same class are not."""
    random = np.random.default_rng(0)
    groups = np.repeat(np.arange(20), 12)
    y = groups % 2
    X = random.normal(size=(20, 6))[groups] + 0.1 * random.normal(size=(240, 6))
    selector = ClassificationSelector(6, **{**quick, "max_epochs": 40, "learning_rate": 1e-2})
    known = selector.fit(X, y).validation_loss_.min()
    new = selector.fit(X, y, groups=groups).validation_loss_.min()
    assert new > known + 0.1


def test_groups_may_be_strings_and_rows_of_weight_zero_leave_theirs(X, classes, quick):
    names = np.array([f"patient {number}" for number in GROUPS])
    weights = np.ones(80)
    weights[:10] = 0
    selector = ClassificationSelector(2, **quick)
    some = selector.fit(X, classes, weights, groups=names).predict_proba(X)
    fewer = selector.fit(X[10:], classes[10:], groups=names[10:]).predict_proba(X)
    np.testing.assert_allclose(some, fewer, rtol=1e-4, atol=1e-5)


def test_reconstruction_takes_groups(X, quick):
    selector = ReconstructionSelector(2, **quick)
    grouped = selector.fit(X, groups=GROUPS).validation_loss_
    assert not np.array_equal(grouped, selector.fit(X).validation_loss_)


def test_a_search_fits_the_chosen_number_with_the_groups(X, classes, quick):
    selector = ClassificationSelector(2, **quick)
    search = SelectorCV(selector, n_features_to_select=[2], cv=GroupKFold(2))
    search.fit(X, classes, groups=GROUPS)
    alone = selector.fit(X, classes, groups=GROUPS)
    np.testing.assert_array_equal(search.selector_.validation_loss_, alone.validation_loss_)


@pytest.mark.parametrize("groups", [GROUPS[:-1], np.ones((80, 2))])
def test_there_must_be_one_group_per_row(X, classes, quick, groups):
    with pytest.raises(InputError, match=r"groups has shape .* for 80 rows"):
        ClassificationSelector(2, **quick).fit(X, classes, groups=groups)


@pytest.mark.parametrize("gap", [None, np.nan, pd.NA])
def test_rows_without_a_group_are_refused(X, classes, quick, gap):
    groups = pd.Series(GROUPS, dtype=object)
    groups[[3, 5]] = gap
    if gap is np.nan:
        groups = groups.astype(float)
    with pytest.raises(InputError, match="groups has no value for 2 of 80 rows"):
        ClassificationSelector(2, **quick).fit(X, classes, groups=groups)


def test_groups_and_validation_rows_exclude_each_other(X, classes, quick):
    with pytest.raises(InputError, match="groups and X_val were both given"):
        ClassificationSelector(2, **quick).fit(X, classes, groups=GROUPS, X_val=X, y_val=classes)


def test_many_rows_of_few_people_are_ranked_by_a_linear_method(quick):
    """5,200 rows of 26 people are worth few, of 5,200 people many."""
    random = np.random.default_rng(0)
    people = np.repeat(np.arange(26), 200)
    X = random.normal(size=(26, 6))[people] + 0.1 * random.normal(size=(5200, 6))
    X[:, 5] = X[:, 4] + 0.1 * random.normal(size=5200)
    X[:, 0] = random.normal(size=5200)
    y = (X[:, 0] > 0).astype(int)
    once = {**quick, "method": None, "max_epochs": 1, "fine_tune": False}
    of_people = ClassificationSelector(2, **once).fit(X, y, groups=people)
    assert of_people.method_ == "backward"
    assert "worth about" in of_people.method_reason_
    assert 0 in of_people.get_support(indices=True)
    alone = ClassificationSelector(2, **once).fit(X, y, groups=random.permutation(5200))
    assert alone.method_ != "backward"
