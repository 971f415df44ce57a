"""Metrics equal their formulas, computed by hand."""

import math

import numpy as np
import pytest
import torch

from ipcae.evaluation import bootstrap_intervals
from ipcae.losses import Huber, SquaredError
from ipcae.rows import Rows
from ipcae.tables import Scaler, fit_scaler
from ipcae.tasks import METRICS, Classification, Multilabel, Reconstruction, Regression


def logits(*probabilities):
    return torch.tensor(probabilities, dtype=torch.float64).log()


def test_accuracy_balanced_accuracy_and_log_loss():
    outputs = logits([0.7, 0.2, 0.1], [0.6, 0.3, 0.1], [0.5, 0.4, 0.1], [0.2, 0.3, 0.5])
    metrics = Classification(np.arange(3)).metrics(outputs, torch.tensor([0, 0, 1, 2]))
    assert metrics["accuracy"] == 3 / 4
    # Classes 0 and 2 are always right, class 1 never.
    assert metrics["balanced_accuracy"] == pytest.approx(2 / 3)
    expected = -(math.log(0.7) + math.log(0.6) + math.log(0.4) + math.log(0.5)) / 4
    assert metrics["log_loss"] == pytest.approx(expected, rel=1e-12)
    # One of the two of class 0 and neither of the others: each against the rest by its column.
    assert metrics["roc_auc"] == pytest.approx((1 + 1 + 1) / 3)
    squares = [0.3**2 + 0.2**2 + 0.1**2, 0.4**2 + 0.3**2 + 0.1**2]
    squares += [0.5**2 + 0.6**2 + 0.1**2, 0.2**2 + 0.3**2 + 0.5**2]
    assert metrics["brier_score"] == pytest.approx(sum(squares) / 4)
    assert list(metrics) == ["accuracy", "balanced_accuracy", "roc_auc", "log_loss", "brier_score"]


def test_a_class_without_rows_does_not_count_in_balanced_accuracy():
    outputs = logits([0.7, 0.2, 0.1], [0.1, 0.2, 0.7], [0.2, 0.7, 0.1])
    metrics = Classification(np.arange(3)).metrics(outputs, torch.tensor([0, 0, 1]))
    assert metrics["balanced_accuracy"] == pytest.approx((1 / 2 + 1) / 2)


def test_the_baseline_of_classes_is_the_commonest_with_the_entropy_as_log_loss():
    targets = torch.tensor([2, 2, 2, 0])
    task = Classification(np.array(["a", "b", "c"]))
    constant = task.baseline(targets).expand(4, -1)
    assert set(task.predictions(constant)) == {"c"}
    np.testing.assert_allclose(task.probabilities(constant)[0], [1 / 4, 0, 3 / 4])
    metrics = task.metrics(constant, targets)
    assert metrics["accuracy"] == 3 / 4
    assert metrics["balanced_accuracy"] == 1 / 2
    entropy = -(3 * math.log(3 / 4) + math.log(1 / 4)) / 4
    assert metrics["log_loss"] == pytest.approx(entropy)


def test_a_class_that_the_training_rows_lacked_costs_a_finite_loss():
    task = Classification(np.arange(3))
    constant = task.baseline(torch.tensor([0, 0, 1])).expand(2, -1)
    metrics = task.metrics(constant, torch.tensor([2, 0]))
    assert 10 < metrics["log_loss"] < 1e3
    assert metrics["accuracy"] == 1 / 2


def test_labels_right_and_rows_with_all_labels_right():
    outputs = torch.tensor([[1.0, -1.0], [2.0, 0.5], [-1.0, -1.0]], dtype=torch.float64)
    targets = torch.tensor([[1.0, 0.0], [1.0, 0.0], [0.0, 1.0]])
    metrics = Multilabel(2).metrics(outputs, targets)
    assert metrics == {
        "label_accuracy": pytest.approx(4 / 6),
        "exact_match": pytest.approx(1 / 3),
        # Both rows of label 0 are above the third; the row of label 1 ties with one of two.
        "roc_auc": pytest.approx((1 + 1 / 4) / 2),
    }


def test_the_baseline_of_labels_is_the_commoner_value_of_each():
    targets = torch.tensor([[1.0, 0.0], [1.0, 0.0], [0.0, 1.0]])
    constant = Multilabel(2).baseline(targets)
    assert Multilabel(2).predictions(constant).tolist() == [[1, 0]]


def fitted(values, single=True, loss=None):
    rows = Rows(torch.zeros(len(values), 1), values)
    task = Regression(values.shape[1], single)
    return task.fitted(rows, fit_scaler(rows.inputs, None), loss or SquaredError())


def test_r2_and_errors_of_numbers_in_their_own_units():
    true = torch.tensor([[10.0], [20.0], [60.0]], dtype=torch.float64)
    task = fitted(true)
    predicted = torch.tensor([[13.0], [16.0], [60.0]], dtype=torch.float64)
    outputs = (predicted - 30) / task.scaler.scale
    metrics = task.metrics(outputs, true)
    # Around the mean of 30 the squares are 400 + 100 + 900; the errors are 3, 4 and 0.
    assert metrics["r2"] == pytest.approx(1 - 25 / 1400)
    assert metrics["mean_absolute_error"] == pytest.approx(7 / 3)
    assert metrics["root_mean_squared_error"] == pytest.approx(math.sqrt(25 / 3))


def test_r2_of_several_numbers_is_the_mean_over_those_that_vary():
    true = torch.tensor([[0.0, 5.0, 1.0], [2.0, 5.0, 3.0]], dtype=torch.float64)
    task = fitted(true, single=False)
    outputs = task.scaled(torch.tensor([[1.0, 5.0, 1.0], [1.0, 5.0, 3.0]])).double()
    assert task.metrics(outputs, true)["r2"] == pytest.approx((0 + 1) / 2, abs=1e-6)
    alone = torch.full((2, 1), 3.0, dtype=torch.float64)
    assert math.isnan(fitted(alone).metrics(torch.zeros(2, 1).double(), alone)["r2"])


def test_the_baseline_of_numbers_is_their_mean_also_where_the_scale_is_robust():
    true = torch.tensor([[0.0], [1.0], [2.0], [3.0], [94.0]], dtype=torch.float64)
    for loss in (SquaredError(), Huber()):
        task = fitted(true, loss=loss)
        constant = task.baseline(true)
        np.testing.assert_allclose(task.predictions(constant), [20.0], rtol=1e-5)
        metrics = task.metrics(constant.expand(5, -1), true)
        assert metrics["r2"] == pytest.approx(0.0, abs=1e-6)
        assert metrics["mean_absolute_error"] == pytest.approx(29.6, rel=1e-5)


def test_r2_and_error_of_scaled_columns():
    center, scale = torch.tensor([[1.0, 2.0], [2.0, 4.0]], dtype=torch.float64)
    task = Reconstruction(2, Scaler("standard", center, scale))
    true = torch.tensor([[1.0, 2.0], [5.0, 10.0]], dtype=torch.float64)  # scaled: 0, 0 and 2, 2
    outputs = torch.tensor([[0.0, 0.0], [2.0 - 0.6, 2.0 - 0.8]], dtype=torch.float64)
    metrics = task.metrics(outputs, true)
    # Each column varies by 1 + 1 around its mean; the second row's error has length 1.
    assert metrics["r2"] == pytest.approx(1 - 1.0 / 4, rel=1e-6)
    assert metrics["error"] == pytest.approx((0 + 1.0) / 2 / 2, rel=1e-6)
    np.testing.assert_allclose(task.predictions(outputs), [[1.0, 2.0], [3.8, 6.8]])


def test_columns_that_do_not_vary_have_no_r2():
    task = Reconstruction(2, fit_scaler(torch.ones(3, 2), "standard"))
    metrics = task.metrics(torch.zeros(3, 2).double(), torch.ones(3, 2))
    assert math.isnan(metrics["r2"])
    assert metrics["error"] == 0.0


def test_columns_that_do_not_vary_count_neither_in_r2_nor_in_its_interval():
    random = np.random.default_rng(0)
    targets = torch.from_numpy(random.normal(size=(100, 4)) * [1, 1, 1, 0])
    task = Reconstruction(4, fit_scaler(targets, "standard"))
    outputs = 0.9 * task.scaled(targets).double()
    outputs[:, 3] += torch.from_numpy(random.normal(size=100))
    r2 = task.metrics(outputs, targets)["r2"]
    low, high = bootstrap_intervals(task, outputs, targets)["r2"]
    assert 0.98 < low < r2 < high


@pytest.mark.parametrize(
    ("name", "value", "text"),
    [
        ("accuracy", 0.934, "93.4\u00a0%"),
        ("balanced_accuracy", 1.0, "100.0\u00a0%"),
        ("log_loss", 0.12345, "0.123"),
        ("r2", -0.25, "−0.250"),
        ("error", 0.004567, "0.00457"),
        ("mean_absolute_error", 12345.6, "12,346"),
    ],
)
def test_metrics_are_written_in_their_own_style(name, value, text):
    assert METRICS[name].write(value) == text


def test_errors_and_losses_are_better_when_lower():
    lower = {name for name, metric in METRICS.items() if not metric.higher_is_better}
    endings = ("error", "loss", "brier_score", "deviance")
    assert lower == {name for name in METRICS if name.endswith(endings)}


@pytest.mark.parametrize(
    ("labels", "score", "finding"),
    [
        ("a" * 29 + "b" * 11, "accuracy", "classifies 80"),
        ("a" * 30 + "b" * 10, "roc_auc", "with a ROC AUC of 0.800"),
        ("a" * 24 + "b" * 8 + "c" * 8, "balanced_accuracy", "of each class"),
    ],
)
def test_the_score_of_imbalanced_classes_is_not_accuracy(labels, score, finding):
    X = torch.zeros(40, 1)
    task = Classification.read(list(labels), X)
    assert task.score == score
    assert finding in task.finding(0.8)
    targets = task.encode(list(labels), X)
    metrics = task.metrics(task.baseline(targets).expand(40, -1), targets)
    assert next(iter(metrics)) == score
    assert metrics["accuracy"] == labels.count("a") / 40
    assert metrics["balanced_accuracy"] == pytest.approx(1 / task.n_outputs)
    assert metrics["roc_auc"] == 0.5


def test_classes_with_too_few_rows_are_named():
    task = Classification(np.array(["a", "b", "c"]))
    (sentence,) = task.cautions(torch.tensor([0] * 9 + [1] * 4))
    assert (
        sentence
        == "2 classes have fewer than 5 rows, too few for a reliable evaluation: b (4), c (0)."
    )


def test_one_class_alone_has_no_area():
    metrics = Classification(np.arange(2)).metrics(logits([0.7, 0.3]), torch.tensor([0]))
    assert math.isnan(metrics["roc_auc"])
    assert metrics["balanced_accuracy"] == 1


def test_the_confusion_matrix_has_true_classes_in_rows():
    outputs = logits([0.7, 0.3], [0.6, 0.4], [0.1, 0.9])
    found = Classification(np.array(["x", "y"])).breakdown(outputs, torch.tensor([0, 1, 1]))
    assert found["confusion_matrix"] == [[1, 0], [1, 1]]
    assert found["classes"] == ["x", "y"]
    assert sum(found["calibration"]["rows"]) == 3
