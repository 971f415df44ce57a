"""Losses and reported metrics, against PyTorch's and scikit-learn's."""

import numpy as np
import pytest
import torch
from sklearn import metrics
from torch.nn import functional

from ipcae.errors import InputError
from ipcae.losses import (
    BinaryCrossEntropy,
    CrossEntropy,
    CustomLoss,
    Huber,
    SquaredError,
    mean_loss,
    row_shares,
)

N_RUNS, N_ROWS, N_OUTPUTS = 3, 11, 5


@pytest.mark.parametrize("weights", [None, torch.arange(4.0), torch.zeros(4)], ids=str)
def test_the_shares_of_rows_are_the_gradient_of_their_mean(weights):
    per_row = torch.rand(2, 4, generator=torch.Generator().manual_seed(0), requires_grad=True)
    (gradient,) = torch.autograd.grad(mean_loss(per_row, weights).sum(), per_row)
    torch.testing.assert_close(row_shares(per_row, weights), gradient)


@pytest.fixture
def generator():
    return torch.Generator().manual_seed(0)


@pytest.fixture
def outputs(generator):
    return 2 * torch.randn(N_RUNS, N_ROWS, N_OUTPUTS, generator=generator, dtype=torch.float64)


@pytest.fixture
def values(generator):
    return torch.randn(N_ROWS, N_OUTPUTS, generator=generator, dtype=torch.float64)


@pytest.fixture
def classes(generator):
    return torch.randint(0, N_OUTPUTS, (N_ROWS,), generator=generator)


@pytest.fixture
def labels(generator):
    return (torch.rand(N_ROWS, N_OUTPUTS, generator=generator) < 0.4).double()


def test_squared_error_is_torchs_and_scikit_learns(outputs, values):
    losses = mean_loss(SquaredError().per_row(outputs, values))
    for loss, output in zip(losses, outputs, strict=True):
        torch.testing.assert_close(loss, functional.mse_loss(output, values))
        assert loss.item() == pytest.approx(metrics.mean_squared_error(values, output))


@pytest.mark.parametrize("loss", [SquaredError(), Huber()], ids=repr)
def test_reported_error_is_the_mean_distance_over_the_number_of_outputs(loss, outputs, values):
    errors = mean_loss(loss.measure(outputs, values))
    difference = (outputs - values).numpy()
    expected = np.linalg.norm(difference, axis=-1).mean(-1) / N_OUTPUTS
    np.testing.assert_allclose(errors, expected, rtol=1e-12)


@pytest.mark.parametrize("delta", [0.1, 1.0, 10.0])
def test_huber_is_torchs(delta, outputs, values):
    losses = mean_loss(Huber(delta).per_row(outputs, values))
    for loss, output in zip(losses, outputs, strict=True):
        torch.testing.assert_close(loss, functional.huber_loss(output, values, delta=delta))


def test_huber_with_a_large_delta_is_half_the_squared_error(outputs, values):
    torch.testing.assert_close(
        Huber(1e6).per_row(outputs, values), SquaredError().per_row(outputs, values) / 2
    )


def test_cross_entropy_is_torchs_and_scikit_learns(outputs, classes):
    losses = mean_loss(CrossEntropy().per_row(outputs, classes))
    for loss, output in zip(losses, outputs, strict=True):
        torch.testing.assert_close(loss, functional.cross_entropy(output, classes))
        probability = torch.softmax(output, -1).numpy()
        expected = metrics.log_loss(classes, probability, labels=range(N_OUTPUTS))
        assert loss.item() == pytest.approx(expected)


def test_cross_entropy_measures_the_accuracy_in_percent(outputs, classes):
    accuracies = mean_loss(CrossEntropy().measure(outputs, classes))
    expected = [100 * metrics.accuracy_score(classes, output.argmax(-1)) for output in outputs]
    assert accuracies.tolist() == pytest.approx(expected)
    assert len(set(expected)) > 1


def test_cross_entropy_of_extreme_outputs_is_finite():
    outputs = torch.tensor([[[1e4, -1e4], [-1e4, 1e4]]], requires_grad=True)
    loss = CrossEntropy().per_row(outputs, torch.tensor([0, 0]))
    assert loss.tolist() == [[0.0, 2e4]]
    (gradient,) = torch.autograd.grad(loss.sum(), outputs)
    assert torch.isfinite(gradient).all()


def test_binary_cross_entropy_is_torchs_and_scikit_learns(outputs, labels):
    losses = mean_loss(BinaryCrossEntropy().per_row(outputs, labels))
    for loss, output in zip(losses, outputs, strict=True):
        expected = functional.binary_cross_entropy_with_logits(output, labels)
        torch.testing.assert_close(loss, expected)
        by_label = [
            metrics.log_loss(labels[:, i], torch.sigmoid(output[:, i]), labels=[0, 1])
            for i in range(N_OUTPUTS)
        ]
        assert loss.item() == pytest.approx(np.mean(by_label))


def test_binary_cross_entropy_measures_the_share_of_right_labels(outputs, labels):
    accuracies = mean_loss(BinaryCrossEntropy().measure(outputs, labels))
    expected = [100 * (1 - metrics.hamming_loss(labels, output > 0)) for output in outputs]
    assert accuracies.tolist() == pytest.approx(expected)


LOSSES = {
    "squared error": (SquaredError(), "values"),
    "huber": (Huber(0.5), "values"),
    "cross-entropy": (CrossEntropy(), "classes"),
    "binary cross-entropy": (BinaryCrossEntropy(), "labels"),
}


@pytest.mark.parametrize(("loss", "targets"), LOSSES.values(), ids=LOSSES.keys())
def test_whole_weights_equal_repeated_rows(loss, targets, outputs, request):
    targets = request.getfixturevalue(targets)
    counts = torch.arange(N_ROWS) % 4
    repeated = torch.arange(N_ROWS).repeat_interleave(counts)
    for figure in (loss.per_row, loss.measure):
        weighted = mean_loss(figure(outputs, targets), counts.double())
        torch.testing.assert_close(
            weighted, mean_loss(figure(outputs[:, repeated], targets[repeated]))
        )


@pytest.mark.parametrize(("loss", "targets"), LOSSES.values(), ids=LOSSES.keys())
def test_gradient_of_every_loss_matches_finite_differences(loss, targets, outputs, request):
    targets = request.getfixturevalue(targets)
    assert torch.autograd.gradcheck(
        lambda own: loss.per_row(own, targets), outputs.clone().requires_grad_()
    )


COMPANY = {
    "squared error": (SquaredError(), torch.rand),
    "huber": (Huber(0.5), torch.rand),
    "cross-entropy": (CrossEntropy(), lambda n, m, generator: torch.arange(n) % m),
    "binary cross-entropy": (BinaryCrossEntropy(), torch.rand),
}


@pytest.mark.parametrize("name", COMPANY)
def test_loss_and_gradient_of_a_run_do_not_depend_on_the_other_runs(name, generator):
    loss, make_targets = COMPANY[name]
    for n_rows in range(1, 40):
        outputs = torch.randn(3, n_rows, 7, generator=generator)
        targets = make_targets(n_rows, 7, generator=generator)

        def with_gradient(own, targets=targets):
            own = own.clone().requires_grad_()
            values = loss.per_row(own, targets)
            return values.detach(), torch.autograd.grad(mean_loss(values).sum(), own)[0]

        together = with_gradient(outputs)
        for run in range(3):
            alone = with_gradient(outputs[run : run + 1])
            assert torch.equal(together[0][run], alone[0][0])
            assert torch.equal(together[1][run], alone[1][0])


def test_only_the_ratio_of_the_weights_matters(generator):
    per_row = torch.rand(2, 6, generator=generator, dtype=torch.float64)
    weights = torch.rand(6, generator=generator, dtype=torch.float64)
    torch.testing.assert_close(mean_loss(per_row, weights), mean_loss(per_row, 1e-3 * weights))
    torch.testing.assert_close(mean_loss(per_row, torch.ones(6)), mean_loss(per_row))


def test_a_batch_without_weight_has_no_loss_and_no_gradient():
    per_row = torch.ones(2, 3, requires_grad=True)
    loss = mean_loss(per_row, torch.zeros(3))
    (gradient,) = torch.autograd.grad(loss.sum(), per_row)
    assert torch.equal(loss, torch.zeros(2))
    assert torch.equal(gradient, torch.zeros(2, 3))


def test_a_custom_loss_is_called_with_all_runs(outputs, values):
    loss = CustomLoss(lambda outputs, targets: (outputs - targets).abs().amax(-1))
    expected = (outputs - values).abs().amax(-1)
    assert torch.equal(loss.per_row(outputs, values), expected)
    assert torch.equal(loss.measure(outputs, values), expected)


@pytest.mark.parametrize(
    ("function", "got"),
    [
        (lambda outputs, targets: (outputs - targets).mean(), r"\(\)"),
        (lambda outputs, targets: outputs - targets, r"\(3, 11, 5\)"),
        (lambda outputs, targets: 0.0, "float"),
    ],
    ids=["one number", "one per output", "no tensor"],
)
def test_a_custom_loss_of_the_wrong_shape_is_explained(function, got, outputs, values):
    expected = rf"returned {got}: expected .* shape \(3, 11\).*\.mean\(-1\)"
    with pytest.raises(InputError, match=expected):
        CustomLoss(function).per_row(outputs, values)
