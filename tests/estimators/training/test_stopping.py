"""Runs stop when there is evidence that more epochs change nothing."""

import numpy as np
import pandas as pd
import pytest

from ipcae import ClassificationSelector, Concrete, Mlp, RegressionSelector, Subset
from ipcae.estimators.one_fit import settings as settings_module
from ipcae.estimators.one_fit.fitting import choose_method
from ipcae.estimators.one_fit.settings import Settings
from ipcae.estimators.one_fit.table import read_table
from ipcae.selectors import Shape
from ipcae.training.batches import batch_sizes


def validation_losses(selector):
    history = pd.DataFrame(selector.history_).query("metric == 'validation_loss' and run == 0")
    return history.value.tolist()


def fit(X, classes, quick, **changes):
    settings = {"max_epochs": 30, "fine_tune": False, "decoder": "linear"}
    return ClassificationSelector(2, **quick | settings | changes).fit(X, classes)


def test_a_decoder_that_stops_by_evidence_was_trained_as_any_other(X, classes, quick):
    changes = {"method": "anova", "learning_rate": 0.3}  # it soon learns too much
    stopped = fit(X, classes, quick, **changes)
    finished = fit(X, classes, quick, early_stopping=False, **changes)
    short, long = validation_losses(stopped), validation_losses(finished)
    assert stopped.run_status_ == ["stopped early"]
    assert len(short) < len(long) == 30
    assert short == long[: len(short)]
    assert len(short) - 1 == int(np.argmin(short)) + 10
    np.testing.assert_array_equal(stopped.predict(X), finished.predict(X))


def test_nodes_that_have_not_settled_do_not_stop(X, classes, quick):
    selector = fit(X, classes, quick, learning_rate=0.0)
    assert selector.run_status_ == ["finished"]
    assert len(validation_losses(selector)) == 30


def test_nodes_that_have_settled_stop(X, classes, quick, monkeypatch):
    monkeypatch.setattr("ipcae.selectors.constrained_model._UNSETTLED", 2.0)
    selector = fit(X, classes, quick, learning_rate=0.0)
    assert selector.run_status_ == ["stopped early"]
    assert len(validation_losses(selector)) == 11


@pytest.mark.parametrize(
    ("method", "metric"),
    [(Concrete(), "largest_probability"), (Subset(), "selected_probability")],
)
def test_a_run_is_settled_if_no_feature_lacks_much_probability(method, metric):
    model = method.model(Shape(Mlp(), n_features=9, n_selected=5, n_outputs=2))
    metrics = {"validation_loss": [1.0, 1.0], metric: [0.97, 0.99]}
    assert model.settled(metrics) == [False, True]


class FirstEpoch:
    """Notes how many epochs there will be, and stops."""

    def __call__(self, report):
        self.n_epochs = report.max_epochs
        return True


@pytest.mark.parametrize(
    ("kind", "n_rows", "settings", "n_epochs"),
    [
        (ClassificationSelector, 19_999, {}, 200),
        (ClassificationSelector, 25_000, {}, 80),
        (ClassificationSelector, 25_000, {"max_epochs": 200}, 200),
        (RegressionSelector, 25_000, {"decoder": (4,)}, 200),
    ],
)
def test_classes_of_many_rows_get_as_many_steps_as_those_of_ten_thousand(
    kind, n_rows, settings, n_epochs
):
    X = np.random.default_rng(0).normal(size=(n_rows, 3)).astype(np.float32)
    y = X[:, 0] if kind is RegressionSelector else X[:, 0] > 0
    first = FirstEpoch()
    settings = {"method": "anova", "decoder": "linear", "fine_tune": False, **settings}
    kind(1, callbacks=first, **settings).fit(X, y)
    assert first.n_epochs == n_epochs


@pytest.mark.parametrize(
    ("n_rows", "n_columns", "settings", "n_epochs"),
    [
        (5_000, 3, {}, 60),
        (5_000, 200, {}, 60),
        (25_000, 3, {}, 60),
        (50_000, 3, {}, 40),
        (4_999, 3, {}, 200),
        (5_000, 201, {}, 200),
        (5_000, 3, {"max_epochs": 90}, 90),
        (5_000, 3, {"decoder": (8,)}, 200),
        (5_000, 3, {"method": "ip-cae"}, 200),
        (5_000, 3, {"method": "shortlist"}, 60),
        (5_000, 3, {"method": "shortlist", "at_most": [(1, ["x0", "x1"])]}, 200),
    ],
)
def test_many_rows_of_few_candidates_get_fewer_epochs_and_a_smaller_decoder(
    n_rows, n_columns, settings, n_epochs
):
    X = np.random.default_rng(0).normal(size=(n_rows, n_columns)).astype(np.float32)
    first = FirstEpoch()
    settings = {"method": "anova", "fine_tune": False, "callbacks": first, **settings}
    selector = ClassificationSelector(1, **settings).fit(X, X[:, 0] > 0)
    assert first.n_epochs == n_epochs
    assert (selector.model_.decoder.hidden == (256, 256)) == (n_epochs in (40, 60, 90))


@pytest.mark.parametrize(
    ("n_rows", "n_columns", "settings", "n_epochs"),
    [
        (4_999, 3, {}, 200),
        (5_000, 200, {}, 60),
        (5_000, 201, {}, 200),
        (25_000, 3, {}, 60),
        (50_000, 3, {}, 40),
        (50_000, 3, {"method": "ip-cae"}, 200),
    ],
)
def test_numbers_with_many_rows_and_few_candidates_get_fewer_epochs(
    n_rows, n_columns, settings, n_epochs
):
    X = np.random.default_rng(0).normal(size=(n_rows, n_columns)).astype(np.float32)
    first = FirstEpoch()
    settings = {"method": "anova", "fine_tune": False, "callbacks": first, **settings}
    RegressionSelector(1, **settings).fit(X, X[:, 0])
    assert first.n_epochs == n_epochs


def test_a_tall_table_is_fine_tuned_for_as_many_epochs_as_a_smaller_one():
    X = np.random.default_rng(0).normal(size=(5_000, 2)).astype(np.float32)
    parsed = Settings.of(ClassificationSelector(1))
    table = read_table(ClassificationSelector(1), X, X[:, 0] > 0, None)
    chosen = choose_method(ClassificationSelector(1), parsed, table)
    plan = chosen.plan
    assert (plan.max_epochs, chosen.fine_tune_epochs, plan.patience) == (60, 40, 10)


def test_of_many_rows_an_epoch_has_a_part_unless_they_are_not_shuffled(monkeypatch):
    monkeypatch.setattr(settings_module, "ROWS_PER_EPOCH", 20)
    X = np.random.default_rng(0).normal(size=(100, 3)).astype(np.float32)
    for shuffle, n_rows in (True, 20), (False, 80):
        parsed = Settings.of(ClassificationSelector(1, shuffle=shuffle))
        plan = parsed.plan_of(80, order_seed=0)
        assert sum(batch_sizes(80, plan)) == n_rows
    selector = ClassificationSelector(1, method="anova", max_epochs=3, random_state=0)
    assert selector.fit(X, X[:, 0] > 0).score(X, X[:, 0] > 0) > 0.8
