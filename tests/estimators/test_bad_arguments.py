"""Invalid arguments are rejected with a one-sentence message, before any training."""

import numpy as np
import pytest
import torch
from torch import nn

from ipcae import ClassificationSelector, Concrete, Full, InputError, Mlp, RegressionSelector
from ipcae.losses import Huber
from ipcae.schedules import Cosine


def never(outputs, targets):
    raise AssertionError("training has begun")


def refused(X, values, arguments, *words):
    with pytest.raises(InputError) as caught:
        RegressionSelector(2, **{"loss": never} | arguments).fit(X, values)
    message = str(caught.value)
    assert "\n" not in message
    for word in words:
        assert word in message


COUNTS = ["n_runs", "max_epochs", "batch_size", "fine_tune", "early_stopping"]


@pytest.mark.parametrize("name", COUNTS)
@pytest.mark.parametrize("value", [-1, 1.5, "ten", [3], float("nan")])
def test_counts_are_positive_integers(X, values, name, value):
    refused(X, values, {name: value}, f"{name}={value!r}", "positive integer")


@pytest.mark.parametrize("name", COUNTS[:3])
@pytest.mark.parametrize("value", [0, None, True])
def test_counts_that_cannot_be_switched_off_are_not(X, values, name, value):
    refused(X, values, {name: value}, f"{name}={value!r}", "positive integer")


@pytest.mark.parametrize("name", ["unique", "shuffle", "drop_last"])
@pytest.mark.parametrize("value", ["no", None, 1, [True]])
def test_switches_are_true_or_false(X, values, name, value):
    refused(X, values, {name: value}, f"{name}={value!r}", "True or False")


@pytest.mark.parametrize("value", [-1e-3, float("nan"), float("inf"), "fast", None, True, [1, "x"]])
def test_a_learning_rate_is_a_finite_number(X, values, value):
    refused(X, values, {"learning_rate": value}, f"learning_rate={value!r}", "finite number")


@pytest.mark.parametrize(("n_runs", "n_rates"), [(1, 2), (3, 2), (2, 3)])
def test_learning_rates_are_as_many_as_the_runs(X, values, n_runs, n_rates):
    arguments = {"n_runs": n_runs, "learning_rate": [1e-3] * n_rates}
    refused(X, values, arguments, f"{n_rates} values of the learning rate for {n_runs} runs")


@pytest.mark.parametrize("value", [-1e-3, float("nan"), float("inf"), "much", None, [0.1, 0.2]])
def test_a_weight_decay_is_a_finite_number(X, values, value):
    refused(X, values, {"weight_decay": value}, f"weight_decay={value!r}", "finite number")


@pytest.mark.parametrize("value", [1.0, -0.1, 5, True, "some", float("nan")])
def test_a_validation_fraction_lies_between_zero_and_one(X, values, value):
    refused(X, values, {"validation_fraction": value}, f"={value!r}", "between 0 and 1")


def test_a_validation_fraction_leaves_rows_to_learn_from(X, values):
    refused(X, values, {"validation_fraction": 0.999}, "too few to hold out 80")


@pytest.mark.parametrize("value", [0, -1, 1.5, True, "rows", [2]])
def test_noise_draws_are_a_count_or_one_per_row(X, values, value):
    refused(X, values, {"noise_draws": value}, f"noise_draws={value!r}", '"row"')


@pytest.mark.parametrize(
    ("method", "hint"),
    [
        ("ipcae", "ip-cae"),
        ("ip-cea", "ip-cae"),
        ("IP_CAE", "ip-cae"),
        ("CAE", "cae"),
        ("ip-cae-diag", "ip-cae-diagonal"),
    ],
)
def test_an_unknown_method_suggests_one(X, values, method, hint):
    refused(X, values, {"method": method}, f"{method!r}", f"Did you mean {hint!r}?")


@pytest.mark.parametrize("method", ["nonsense", 3, Full()])
def test_an_unknown_method_lists_those_there_are(X, values, method):
    refused(X, values, {"method": method}, repr(method), "ip-cae, cae, ip-cae-diagonal")


@pytest.mark.parametrize("decoder", ["deep", "", None, 5, (0,), (8, -1), (True,), (1.5,), {}])
def test_an_unknown_decoder_lists_what_there_is(X, values, decoder):
    refused(X, values, {"decoder": decoder}, f"decoder={decoder!r}", "'linear'", "(200, 200)")


def test_a_module_is_not_a_function_that_builds_one(X, values):
    refused(X, values, {"decoder": nn.Linear(2, 1)}, "already built", "function")


@pytest.mark.parametrize(
    ("function", "words"),
    [
        (lambda n, m: "network", "returned a str"),
        (lambda n, m: nn.Linear(n + 1, m), "cannot take 2 inputs"),
        (lambda n, m: nn.Linear(n, m + 1), "expected a tensor of shape (2, 1)"),
    ],
)
def test_a_network_that_does_not_fit_is_refused(X, values, function, words):
    refused(X, values, {"decoder": function}, words)


@pytest.mark.parametrize("loss", ["mse", "", 5, ["huber"]])
def test_an_unknown_loss_lists_what_there_is(X, values, loss):
    refused(X, values, {"loss": loss}, f"loss={loss!r}", "'squared_error', 'huber'")


@pytest.mark.parametrize("loss", ["huber", "squared_error"])
def test_a_loss_for_numbers_is_refused_for_classes(X, classes, loss):
    with pytest.raises(
        InputError,
        match=rf"loss='{loss}' is not understood: expected None, 'cross_entropy', a loss",
    ):
        ClassificationSelector(2, loss=loss).fit(X, classes)


@pytest.mark.parametrize(
    ("loss", "words"),
    [
        (lambda outputs, targets: outputs.mean(), "one loss per run and row"),
        (lambda outputs, targets: 0.0, "returned float"),
        (lambda outputs, targets: (outputs - targets).square(), ".mean(-1)"),
    ],
)
def test_a_loss_function_returns_one_number_per_run_and_row(X, values, loss, words):
    refused(X, values, {"loss": loss}, words)


@pytest.mark.parametrize(
    ("name", "value"),
    [("method", Concrete), ("decoder", Mlp), ("loss", Huber), ("schedule", Cosine)],
)
def test_a_class_is_not_an_object_of_it(X, values, name, value):
    refused(X, values, {name: value}, f"{name} is the class {value.__name__}", "object")


@pytest.mark.parametrize("scale", ["std", "Standard", 5, ["auto"]])
def test_an_unknown_scale_lists_those_there_are(X, values, scale):
    refused(X, values, {"scale": scale}, f"scale={scale!r}", "auto, standard, common, minmax")


@pytest.mark.parametrize("schedule", ["linear", "", None, 0.5])
def test_an_unknown_schedule_lists_those_there_are(X, values, schedule):
    refused(X, values, {"schedule": schedule}, repr(schedule), "constant, warmup, cosine")


@pytest.mark.parametrize("device", ["gpu", "", None, 1.5])
def test_an_unknown_device_lists_those_there_are(X, values, device):
    refused(X, values, {"device": device}, f"device={device!r}", "'auto', 'cpu' or 'cuda'")


@pytest.mark.parametrize(
    "device",
    ["meta"]
    + ["cuda", "cuda:1"] * (not torch.cuda.is_available())
    + ["mps"] * (not torch.backends.mps.is_available()),
)
def test_a_device_that_is_not_there_is_refused(X, values, device):
    refused(X, values, {"device": device}, f"device={device!r}", "'auto' or 'cpu'")


@pytest.mark.parametrize("seed", ["x", -1, 1.5])
def test_a_random_state_is_one_of_scikit_learns(X, values, seed):
    with pytest.raises(InputError, match=r"random_state=.* is not understood: expected an int"):
        RegressionSelector(2, loss=never, random_state=seed).fit(X, values)


def test_numpys_own_numbers_are_numbers(X, values, quick):
    plain = RegressionSelector(2, n_runs=2, learning_rate=[0.01, 0.1], **quick)
    quick |= {"max_epochs": np.int32(4), "batch_size": np.uint8(32), "decoder": (np.int64(8),)}
    rates = np.array([0.01, 0.1])
    numpys = RegressionSelector(np.int8(2), n_runs=np.int64(2), learning_rate=rates, **quick)
    numpys.set_params(weight_decay=np.float64(0), validation_fraction=np.float64(0.2))
    np.testing.assert_array_equal(numpys.fit(X, values).predict(X), plain.fit(X, values).predict(X))
