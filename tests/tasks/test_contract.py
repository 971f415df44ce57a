"""What every registered task promises."""

import dataclasses
import json
import pickle
import re
from typing import Any, NamedTuple

import numpy as np
import pytest
import torch

from ipcae.errors import InputError
from ipcae.losses import CustomLoss, Huber
from ipcae.rows import Rows
from ipcae.runs import Stream
from ipcae.tables import fit_scaler
from ipcae.tasks import METRICS, TASKS, Task
from tests.random_tensors import normal

N_ROWS, N_FEATURES = 40, 5


class Case(NamedTuple):
    """A task that was fitted to a table, and outputs that are right for every row."""

    task: Any
    X: torch.Tensor
    y: Any
    targets: torch.Tensor
    perfect: torch.Tensor


def table(name):
    X = normal(N_ROWS, N_FEATURES).double()
    X = 100 * X + 1000
    number = (X[:, 0] > 1000).int() + (X[:, 1] > 1050).int()
    y = {
        "classification": np.array(["b", "a", "c"])[number],
        "multilabel": (X[:, :3] > 1020).int().numpy(),
        "regression": X[:, 0].numpy() - 3 * X[:, 1].numpy(),
        "panel": np.array(["b", "a", "c"])[number],
        "survival": np.stack([X[:, 0].numpy(), np.arange(N_ROWS) % 4 > 0], 1),
        "reconstruction": None,
    }[name]
    return X, y


@pytest.fixture(params=TASKS)
def case(request):
    X, y = table(request.param)
    task = TASKS[request.param].read(y, X)
    rows = Rows(X, task.encode(y, X))
    task = task.fitted(rows, fit_scaler(X, "standard"), task.loss)
    perfect = {
        "classification": lambda: 50.0 * torch.eye(3)[rows.targets],
        "panel": lambda: torch.cat(
            [50.0 * torch.eye(3)[rows.targets[:, 0].long()], task.scaled(rows.targets)[:, 1:]], 1
        ),
        "multilabel": lambda: 50.0 * (2 * rows.targets - 1),
        # The earlier the time, the higher the risk.
        "survival": lambda: -50.0 * rows.targets[:, :1].argsort(0).argsort(0),
    }.get(request.param, lambda: task.scaled(rows.targets))()
    return Case(task, X, y, rows.targets, perfect.double())


def loss_of(task, outputs, targets):
    return task.loss.per_row(outputs.float()[None], task.scaled(targets))


def test_a_task_is_known_by_its_name():
    assert {task.name: task for task in TASKS.values()} == TASKS


def test_a_task_has_a_loss_a_decoder_and_words(case):
    task = case.task
    assert task.loss is next(iter(task.losses.values()))
    assert task.decoder.init(3, task.n_outputs, Stream([0]))
    assert task.baseline_name
    counted = sum(int(number) for number in re.findall(r"\d+", task.purpose))
    assert counted == task.n_outputs or task.n_outputs == 1
    assert task.purpose.startswith("to ")
    assert task.write_score(0.5) in ("50.0\u00a0%", "0.500")
    assert "50\u00a0%" in task.finding(0.5)
    assert task.score_label


def test_a_task_is_a_frozen_value_that_can_be_pickled(case):
    with pytest.raises(dataclasses.FrozenInstanceError):
        case.task.anything = 1
    again = pickle.loads(pickle.dumps(case.task))
    np.testing.assert_array_equal(
        again.predictions(case.perfect), case.task.predictions(case.perfect)
    )


def test_outputs_are_counted_before_a_target_is_known(case):
    if case.task.name == "panel":
        assert case.task.count_outputs(N_FEATURES, len(case.task.classes)) == case.task.n_outputs
        return
    expected = N_FEATURES if case.task.name == "reconstruction" else case.task.n_outputs
    assert case.task.count_outputs(N_FEATURES, case.task.n_outputs) == expected
    unknown = N_FEATURES if case.task.name == "reconstruction" else 1
    assert case.task.count_outputs(N_FEATURES, None) == unknown


def test_encoding_keeps_the_rows(case):
    encoded = case.task.encode(case.y, case.X)
    if case.task.name == "reconstruction":
        assert encoded is None
        return
    assert len(encoded) == N_ROWS
    assert encoded.device == case.X.device
    part = case.task.encode(case.y[10:20], case.X[10:20])
    assert torch.equal(part, encoded[10:20])


@pytest.mark.parametrize("case", ["multilabel", "regression", "survival"], indirect=True)
def test_a_target_is_read_from_a_tensor_as_from_an_array(case):
    tensor = torch.from_numpy(case.y)
    assert torch.equal(case.task.encode(tensor, case.X), case.task.encode(case.y, case.X))
    assert type(case.task).read(tensor, case.X).n_outputs == case.task.n_outputs


@pytest.mark.parametrize(
    "case", [name for name in TASKS if name != "reconstruction"], indirect=True
)
def test_a_missing_or_a_shorter_target_raises_an_error(case):
    with pytest.raises(InputError, match="The selector requires y to be passed"):
        type(case.task).read(None, case.X)
    with pytest.raises(InputError, match="y_val"):
        case.task.encode(None, case.X, "y_val")
    with pytest.raises(InputError, match="y_val"):
        case.task.encode(case.y[:-1], case.X, "y_val")


def test_the_loss_takes_scaled_targets(case):
    zeros = torch.zeros_like(case.perfect)
    right, wrong = (loss_of(case.task, outputs, case.targets) for outputs in (case.perfect, zeros))
    assert right.shape == (1, N_ROWS)
    torch.testing.assert_close(right, torch.zeros_like(right), atol=1e-6, rtol=0)
    assert wrong.mean() > 0.1


def test_right_outputs_become_the_target(case):
    predicted = case.task.predictions(case.perfect)
    if case.task.censored:
        assert (np.argsort(-predicted) == np.argsort(case.y[:, 0])).all()
        return
    expected = case.X.numpy() if case.y is None else case.y
    assert predicted.shape == expected.shape
    if predicted.dtype.kind == "f":
        np.testing.assert_allclose(predicted, expected, rtol=1e-5)
    else:
        np.testing.assert_array_equal(predicted, expected)


def test_metrics_are_known_and_contain_the_first(case):
    metrics = case.task.metrics(case.perfect, case.targets)
    assert set(metrics) <= set(METRICS)
    assert next(iter(metrics)) == case.task.score
    assert {type(value) for value in metrics.values()} == {float}
    for name, value in metrics.items():
        best = 1.0 if METRICS[name].higher_is_better else 0.0
        assert value == pytest.approx(best, abs=1e-3 if name.endswith("_error") else 1e-6)
        assert METRICS[name].write(value)


def test_the_metrics_of_resamples_are_those_of_the_repeated_rows(case):
    random = torch.Generator().manual_seed(3)
    outputs = case.perfect + 2 * torch.randn(case.perfect.shape, generator=random).double()
    outputs[:6] = outputs[6:12]  # ties
    counts = np.random.default_rng(0).multinomial(N_ROWS, np.full(N_ROWS, 1 / N_ROWS), size=4)
    counts[0] = 1
    fast = case.task.resampled(outputs, case.targets, counts.astype(float))
    slow = Task.resampled(case.task, outputs, case.targets, counts.astype(float))
    assert set(fast) == set(slow) == set(case.task.metrics(outputs, case.targets))
    for name, values in slow.items():
        np.testing.assert_allclose(fast[name], values, rtol=1e-9, err_msg=name)
        assert values[0] == case.task.metrics(outputs, case.targets)[name]


def test_what_else_is_reported_can_be_written_as_json(case):
    breakdown = case.task.breakdown(case.perfect, case.targets)
    assert json.loads(json.dumps(breakdown)) == breakdown
    assert all(sentence.endswith(".") for sentence in case.task.cautions(case.targets))


def test_the_baseline_is_the_best_constant(case):
    constant = case.task.baseline(case.targets)
    assert constant.shape == (1, case.task.n_outputs)
    assert constant.dtype == torch.float64
    everywhere = constant.expand(N_ROWS, -1)
    score = case.task.metrics(everywhere, case.targets)[case.task.score]
    random = torch.Generator().manual_seed(1)
    for _ in range(50):
        other = torch.randn(constant.shape, generator=random).double().expand(N_ROWS, -1)
        assert case.task.metrics(other, case.targets)[case.task.score] <= score + 1e-9


def test_right_outputs_are_better_than_the_baseline_by_every_metric(case):
    everywhere = case.task.baseline(case.targets).expand(N_ROWS, -1)
    worse = case.task.metrics(everywhere, case.targets)
    for name, value in case.task.metrics(case.perfect, case.targets).items():
        better = value > worse[name] if METRICS[name].higher_is_better else value < worse[name]
        assert better, name


def test_the_head_gives_the_same_predictions(case):
    outputs = normal(30, case.task.n_outputs, seed=2)
    whole, head = outputs.double(), case.task.head
    outputs = whole[:, : head.n_outputs]
    if head.activation == "softmax":
        predicted = head.classes[outputs.softmax(-1).argmax(-1).numpy()]
    elif head.activation == "sigmoid":
        assert len(head.classes) == case.task.n_outputs
        predicted = (outputs.sigmoid() > 0.5).long().numpy()
    else:
        predicted = (outputs if head.scaler is None else head.scaler.invert(outputs)).numpy()
    predicted = predicted[:, 0] if head.squeeze else predicted
    np.testing.assert_array_equal(predicted, case.task.predictions(whole))
    assert head.restores_columns == (case.y is None)


def test_probabilities_agree_with_the_predictions(case):
    if not case.task.discrete:
        assert case.task.head.activation is None
        return
    outputs = normal(30, case.task.n_outputs, seed=2)
    probabilities = case.task.probabilities(outputs)
    assert probabilities.dtype == np.float64
    assert ((probabilities >= 0) & (probabilities <= 1)).all()
    predicted = case.task.predictions(outputs.double())
    if case.task.name in ("classification", "panel"):
        np.testing.assert_allclose(probabilities.sum(1), 1.0)
        np.testing.assert_array_equal(case.task.classes[probabilities.argmax(1)], predicted)
    else:
        np.testing.assert_array_equal(probabilities > 0.5, predicted)


def test_strata_are_one_class_per_row(case):
    strata = case.task.strata(case.targets)
    if case.task.name in ("classification", "panel"):
        np.testing.assert_array_equal(strata, case.task.ranking_targets(case.targets))
    elif case.task.censored:
        np.testing.assert_array_equal(strata, case.targets[:, 1])
        np.testing.assert_array_equal(case.task.split_labels(case.y), strata)
    else:
        assert strata is None


def test_rows_are_known_unless_their_class_is_new(case):
    if case.task.name not in ("classification", "panel"):
        assert case.task.known(case.y) is None
        return
    labels = np.array(["a", "zebra", "c"])
    assert case.task.known(labels).tolist() == [True, False, True]
    with pytest.raises(
        InputError, match=r"y contains classes that are not in the training target \(zebra\)"
    ):
        case.task.encode(labels, case.X[:3])


def test_outputs_that_are_not_finite_have_metrics_that_are_not_finite(case):
    outputs = case.perfect.clone()
    outputs[0] = float("nan")
    metrics = case.task.metrics(outputs, case.targets)
    assert set(metrics) == set(case.task.metrics(case.perfect, case.targets))
    # What counts right answers counts on; what averages numbers has none.
    counts = {name for name, value in metrics.items() if np.isfinite(value)}
    assert counts == {name for name in metrics if METRICS[name].style == "percent"}


def test_a_loss_is_found_by_its_name(case):
    task = case.task
    assert task.loss_for(None) is task.loss
    for name, loss in task.losses.items():
        assert task.loss_for(name) is loss
    own = Huber(0.5)
    assert task.loss_for(own) is own
    function = task.loss_for(print)
    assert isinstance(function, CustomLoss)
    assert function.function is print


@pytest.mark.parametrize("loss", ["no such loss", 3, ["squared_error"]], ids=repr)
def test_an_unknown_loss_is_answered_with_the_known_ones(case, loss):
    with pytest.raises(InputError, match="is not understood: expected None") as caught:
        case.task.loss_for(loss)
    assert all(repr(name) in str(caught.value) for name in case.task.losses)


def test_a_class_instead_of_a_loss_is_answered_with_an_object(case):
    with pytest.raises(InputError, match=r"expected an object, such as Huber\(\)"):
        case.task.loss_for(Huber)
