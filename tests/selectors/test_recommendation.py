"""The default method."""

import numpy as np
import pytest

from ipcae import ClassificationSelector, ReconstructionSelector, RegressionSelector, load
from ipcae.selectors import METHODS, Concrete, Direct, recommended
from ipcae.tasks import TASKS

SIZES = (1, 30, 84, 300, 1000, 3000, 10**6)


@pytest.mark.parametrize("task", TASKS.values(), ids=TASKS.keys())
@pytest.mark.parametrize("n_rows", SIZES)
def test_the_method_can_be_used_for_the_task(task, n_rows):
    advice = recommended(task, n_rows, 2000)
    assert METHODS[advice.method].supports(task)
    assert advice.reason.startswith("the table has ")


@pytest.mark.parametrize("task", TASKS.values(), ids=TASKS.keys())
def test_many_rows_get_a_joint_method(task):
    predicts = task.name in ("classification", "multilabel", "regression")
    assert recommended(task, 100_000, 784).method == ("subset" if predicts else "ip-cae")


@pytest.fixture
def table():
    X = np.random.default_rng(0).normal(size=(30, 6))
    return X, (X[:, 2] > 0).astype(int), X[:, 3]


def test_the_fitted_selector_tells_the_method_and_why(table, tmp_path):
    X, classes, _ = table
    selector = ClassificationSelector(2, max_epochs=1, random_state=0).fit(X, classes)
    advice = recommended(type(selector.task_), 30, 6)
    assert (selector.method_, selector.method_reason_) == (advice.method, advice.reason)
    assert selector.method is None
    selector.save(tmp_path / "model.safetensors")
    assert load(tmp_path / "model.safetensors").method_ == advice.method


def test_the_default_selects_the_same_as_its_method_by_name(table):
    X, _, values = table
    settings = {"max_epochs": 2, "decoder": (4,), "random_state": 0}
    default = RegressionSelector(2, **settings).fit(X, values)
    named = RegressionSelector(2, method=default.method_, **settings).fit(X, values)
    np.testing.assert_array_equal(default.get_support(), named.get_support())
    np.testing.assert_array_equal(default.validation_loss_, named.validation_loss_)


@pytest.mark.parametrize("method", ["cae", Concrete(Direct())], ids=str)
def test_a_method_that_was_asked_for_is_used(method, table):
    selector = ReconstructionSelector(2, method=method, max_epochs=1).fit(table[0])
    assert selector.method_ == method
    assert selector.method_reason_ == "it was asked for"


def test_the_rule_decides_by_the_rows_that_are_passed_to_fit(table, tmp_path):
    X, classes, _ = table
    many = np.tile(X, (100, 1)), np.tile(classes, 100)
    selector = ClassificationSelector(2, max_epochs=1, decoder=(4,)).fit(*many)
    assert selector.method_ == recommended(type(selector.task_), 3000, 6).method


@pytest.mark.parametrize(
    ("correlation", "method"), [(0.0, "shortlist"), (0.9, "subset")], ids=["none", "strong"]
)
def test_many_rows_of_independent_columns_are_ranked_before_a_network_selects(correlation, method):
    random = np.random.default_rng(0)
    X = random.normal(size=(5001, 201)) + correlation * random.normal(size=(5001, 1))
    settings = {"max_epochs": 1, "decoder": (4,), "fine_tune": False, "batch_size": 512}
    selector = ClassificationSelector(2, **settings).fit(X, X[:, 3] > 0)
    assert selector.method_ == method
    assert ("nearly independent" in selector.method_reason_) == (method == "shortlist")


@pytest.mark.parametrize("products", [False, True])
def test_a_network_selects_among_ranked_columns_if_products_of_correlated_columns_matter(products):
    random = np.random.default_rng(0)
    X = random.normal(size=(5001, 201)) + random.normal(size=(5001, 1))
    signal = (X[:, 3] - X[:, 5]) * (X[:, 8] - X[:, 9]) if products else X[:, 3] - X[:, 5]
    settings = {"max_epochs": 1, "decoder": (4,), "fine_tune": False, "batch_size": 512}
    selector = ClassificationSelector(4, random_state=0, **settings).fit(X, signal > 0)
    assert ("not only linear effects" in selector.method_reason_) == products
    assert selector.method_ == ("shortlist" if products else "subset")
