"""Many rows and few columns: elimination with boosted trees, and what it is used for."""

import numpy as np
import pytest

from ipcae import ClassificationSelector, RegressionSelector
from ipcae.ridge import margin
from ipcae.selectors import BoostedElimination
from ipcae.selectors.classical import rows_to_rank
from ipcae.selectors.classical.examples import Examples
from ipcae.selectors.classical.models import boosting, held_out
from ipcae.selectors.classical.models.boosting import Boosted, two_parts


def best(table, n_selected):
    scores = BoostedElimination().scores(table, n_selected, 0)
    return {int(column) for column in np.argsort(-scores)[:n_selected]}


@pytest.fixture
def random():
    return np.random.default_rng(0)


def test_columns_that_matter_only_together_are_kept_together(random):
    x = random.normal(size=(1500, 15))
    assert best(Examples(x, (x[:, 4:5] * x[:, 9:10] > 0) * 1.0, discrete=True), 2) == {4, 9}
    assert best(Examples(x, x[:, 4:5] * x[:, 9:10], discrete=False), 2) == {4, 9}


def test_one_of_each_set_of_copies_is_kept(random):
    originals = random.normal(size=(1500, 6))
    x = np.repeat(originals, 3, axis=1) + 0.05 * random.normal(size=(1500, 18))
    y = originals[:, :1] + 0.6 * originals[:, 1:2]
    assert {column // 3 for column in best(Examples(x, y, discrete=False), 2)} == {0, 1}


def test_columns_of_several_targets_are_kept(random):
    x = random.normal(size=(1500, 10))
    numbers = np.column_stack([x[:, 1], np.abs(x[:, 7])])
    assert best(Examples(x, numbers, discrete=False), 2) == {1, 7}
    assert best(Examples(x, (numbers > 0.5) * 1.0, discrete=True), 2) == {1, 7}


def test_rows_of_rare_classes_are_preferred(random):
    y = (np.arange(40_000) % 50 == 0) * 1.0
    parts = two_parts(Examples(random.normal(size=(40_000, 2)), y[:, None], discrete=True))
    assert sum(len(part.targets) for part in parts) == boosting.MOST_SAMPLED
    assert sum(part.targets.sum() for part in parts) == 800


def test_a_class_without_fitted_rows_is_unlikely_instead_of_an_error(random):
    x, y = random.normal(size=(60, 2)), np.repeat([0.0, 1.0, 2.0], 20)[:, None]
    known = y[:, 0] < 2
    model = Boosted.fitted(Examples(x[known], y[known], discrete=True))
    errors = model.errors(Examples(x, y, discrete=True))
    np.testing.assert_allclose(errors[~known], -np.log(1e-3))


def test_a_label_that_all_rows_have_does_not_count(random):
    x = random.normal(size=(1000, 5))
    labels = np.column_stack([np.ones(1000), x[:, 3] > 0])
    assert best(Examples(x, labels * 1.0, discrete=True), 1) == {3}


def test_rows_of_weight_zero_do_not_count(random):
    x, weights = random.normal(size=(2000, 5)), np.repeat([1.0, 0.0], 1000)
    y = np.where(weights[:, None] > 0, x[:, 1:2], 9 * x[:, 4:5])
    assert best(Examples(x, y, discrete=False, weights=weights), 1) == {1}


def test_trees_compare_columns_of_many_rows(random, monkeypatch):
    x = random.normal(size=(3000, 4))
    parity = np.sign(np.sin(9 * x[:, :1])) * np.sign(x[:, 1:2])  # too rough for a kernel
    table = Examples(x, parity, discrete=False)
    pairs = np.array([0, 1]), np.array([2, 3])

    def advantage(*sets):
        return margin(*held_out.errors_of_columns(table, sets), n_errors=2)

    assert advantage(*pairs) < 0.5
    monkeypatch.setattr(held_out, "suits_trees", lambda table: True)
    assert advantage(*pairs) > 0.9
    assert advantage(*pairs[::-1]) < 0


@pytest.mark.parametrize("kind", [ClassificationSelector, RegressionSelector])
def test_the_default_finds_a_pair_among_many_rows(kind, random, monkeypatch):
    monkeypatch.setattr(rows_to_rank, "MOST_RANKED", 5000)
    X = random.normal(size=(7000, 12))
    X[:, 1:] += 0.4 * X[:, :-1]
    y = X[:, 2] * X[:, 7]
    y = (y > 0).astype(int) if kind is ClassificationSelector else y
    settings = {"max_epochs": 1, "decoder": (4,), "fine_tune": False, "batch_size": 512}
    selector = kind(2, random_state=0, **settings).fit(X, y)
    assert selector.get_support(indices=True).tolist() == [2, 7]
    assert selector.method_reason_ == "the table has 7,000 rows and 12 columns"
