"""The kernels of the concrete selection against the reference in float64, with their own noise."""

import pytest
import torch

from ipcae.ops import concrete_select, group_rows, matrix_precision
from ipcae.ops.concrete_select import kept_weights, kernel_call, reference
from ipcae.runs import DeviceStep, Stream
from tests import kernel_noise
from tests.kernel_noise import read_noise
from tests.random_tensors import normal

pytestmark = pytest.mark.usefixtures("kernels")

# (runs, rows, nodes, features, draws): blocks are 16 to 64 features, tiles 16 rows and 16 nodes;
# four nodes share a call of the generator.
SIZES = [
    (1, 1, 1, 1, "row"),
    (2, 3, 3, 5, "row"),
    (1, 2, 4, 64, "row"),
    (2, 2, 6, 77, "row"),
    (1, 9, 1, 66, "row"),  # nine rows in eight parts: some are empty
    (1, 1, 1, 1, 1),
    (2, 3, 3, 5, 1),
    (1, 7, 3, 33, 4),  # groups of two rows, the last of one
    (1, 4, 17, 32, 2),
    (1, 18, 4, 130, 1),
    (1, 35, 2, 40, 2),
    (1, 130, 2, 20, 1),  # more rows than one tile has
    (1, 70, 50, 70, 1),  # as in the paper: many rows of one draw, many nodes
    (2, 130, 17, 65, 2),
    (1, 3, 66, 9, 1),  # more nodes than one tile has
]
TEMPERATURES = [10.0, 0.1, 0.01]


def compare(size, device, temperature=0.5, hard=False, loose=1.0, with_rows=True):
    """Check values and gradients; the reference gets the noise that the kernels used."""
    n_runs, n_rows, n_nodes, n_features, draws = size
    logits = normal(n_runs, n_nodes, n_features).to(device).requires_grad_()
    rows = normal(n_rows, n_features, seed=1).to(device).requires_grad_(with_rows)
    upstream = normal(n_runs, n_rows, n_nodes, seed=2)
    stream = Stream(range(3, 3 + n_runs), 7, device)
    selected = concrete_select(
        logits, rows, temperature, draws=draws, stream=stream, straight_through=hard
    )
    asked = [logits, rows] if with_rows else [logits]
    gradients = torch.autograd.grad(selected, asked, upstream.to(device))

    counter = Stream(range(3, 3 + n_runs), 7, device).next_counter()
    noise = read_noise(counter, group_rows(n_rows, draws)[0], n_nodes, n_features)
    exact = [tensor.detach().cpu().double().requires_grad_() for tensor in (logits, rows)]
    expected = reference.concrete_select(*exact, temperature, noise.cpu().double(), hard)
    by_reference = torch.autograd.grad(expected, exact, upstream.double())
    # Rounding the scores shifts them by up to 1e-6 / T; the gradient has one more 1 / T.
    tolerance = loose * 2e-6 * (1 + 1 / temperature)
    close(selected, expected, tolerance)
    close(gradients[0], by_reference[0], tolerance * (1 + 4 / temperature) * n_rows**0.5)
    if with_rows:
        close(gradients[1], by_reference[1], tolerance * 4 * (n_runs * n_nodes) ** 0.5)


def close(found, expected, tolerance):
    torch.testing.assert_close(found.cpu().double(), expected, rtol=0, atol=tolerance)


@pytest.mark.parametrize("size", SIZES, ids=str)
def test_values_and_gradients_match_the_reference(size, device):
    compare(size, device)


@pytest.mark.parametrize("temperature", TEMPERATURES)
@pytest.mark.parametrize("draws", ["row", 2])
def test_every_temperature_matches_the_reference(temperature, draws, device):
    compare((1, 3, 3, 40, draws), device, temperature)


@pytest.mark.parametrize("temperature", TEMPERATURES)
@pytest.mark.parametrize("size", [(2, 1, 3, 70, "row"), (2, 5, 3, 70, 1)], ids=str)
def test_gradients_of_near_ties_match_the_reference(size, temperature, device):
    n_runs, n_rows, n_nodes, n_features, draws = size
    counter = Stream(range(3, 3 + n_runs), 7, device).next_counter()
    noise = read_noise(counter, 1, n_nodes, n_features)
    # All scores are within a few T of each other, so that no gradient vanishes.
    logits = temperature * normal(n_runs, n_nodes, n_features).to(device) - noise[:, 0]
    logits.requires_grad_()
    rows, upstream = normal(n_rows, n_features, seed=1), normal(n_runs, n_rows, n_nodes, seed=2)
    stream = Stream(range(3, 3 + n_runs), 7, device)
    selected = concrete_select(logits, rows.to(device), temperature, draws=draws, stream=stream)
    (gradient,) = torch.autograd.grad(selected, logits, upstream.to(device))
    exact = logits.detach().cpu().double().requires_grad_()
    expected = reference.concrete_select(
        exact, rows.double(), temperature, noise.cpu().double(), False
    )
    (true,) = torch.autograd.grad(expected, exact, upstream.double())
    largest = true.abs().max().item()
    assert largest > 0.01 / temperature
    # A score is exact to 2e-6, a quotient by T to 2e-6 / T.
    close(gradient, true, (1e-5 + 1e-5 / temperature) * largest)


@pytest.mark.parametrize("draws", ["row", 1])
def test_very_many_features_match_the_reference(draws, device, monkeypatch):
    n_nodes, n_features = 5, 10**6
    if device.type == "cpu":  # the interpreter takes its time for every block
        n_nodes, n_features = 2, 200_000
        monkeypatch.setattr(kept_weights, "TILE", 2**15)
        monkeypatch.setattr(kernel_call, "block", lambda n_features, largest: 2**15)
        monkeypatch.setattr(kernel_noise, "BLOCK", 2**15)
    # With a draw per row each number of a tile is the sum of 7,812 numbers, one after another.
    long_sums = draws == "row" and kept_weights.TILE == 128
    compare((1, 3, n_nodes, n_features, draws), device, 1.0, loose=10 if long_sums else 1)


@pytest.mark.parametrize("size", [(2, 2, 3, 70, "row"), (2, 7, 3, 70, 2)], ids=str)
@pytest.mark.parametrize("temperature", [2.0, 0.05])
def test_straight_through_matches_the_reference(size, temperature, device):
    compare(size, device, temperature, hard=True)


@pytest.mark.parametrize("hard", [False, True])
@pytest.mark.parametrize("n_rows", [3, 70])
def test_one_program_for_many_blocks_matches_the_reference(n_rows, hard, device, monkeypatch):
    monkeypatch.setattr(kernel_call, "PROGRAMS", 1)
    compare((1, n_rows, 2, 130, 1), device, hard=hard, with_rows=False)


@pytest.mark.parametrize(("precision", "loose"), [("tf32", 600), ("bfloat16", 3e3)])
def test_lower_precision_is_near_the_reference(precision, loose, device):
    # TF32 rounds a factor by up to 2⁻¹¹ of itself, on a GPU; the interpreter does not round.
    if precision == "tf32" and device.type == "cpu":
        loose = 1
    with matrix_precision(precision):
        compare((1, 17, 3, 40, 1), device, 1.0, loose=loose)


def test_a_temperature_on_the_device_is_the_same_as_a_number(device):
    logits, rows = normal(1, 2, 9).to(device), normal(3, 9, seed=1).to(device)
    by_number, by_tensor = (
        concrete_select(logits, rows, temperature, stream=Stream([1], 0, device))
        for temperature in (0.25, torch.tensor(0.25, device=device))
    )
    assert torch.equal(by_number, by_tensor)


@pytest.mark.parametrize("draws", ["row", 2])
def test_tensors_in_another_memory_layout_give_the_same_values(draws, device):
    logits, rows = normal(2, 9, 3).to(device), normal(9, 4, seed=1).to(device)
    turned = [logits.transpose(1, 2), rows.T]
    packed = [tensor.contiguous() for tensor in turned]
    results = [
        concrete_select(*pair, 0.5, draws=draws, stream=Stream([1, 2], 0, device))
        for pair in (turned, packed)
    ]
    assert torch.equal(*results)


@pytest.mark.parametrize("draws", ["row", 2])
def test_a_run_of_a_batch_equals_the_run_alone(draws, device):
    logits, rows = normal(2, 5, 40).to(device), normal(3, 40, seed=1).to(device)
    upstream = normal(2, 3, 5, seed=2).to(device)

    def selected(runs):
        own = logits[runs].clone().requires_grad_()
        seeds = [(11, 22)[run] for run in runs]
        out = concrete_select(own, rows, 0.5, draws=draws, stream=Stream(seeds, 4, device))
        return out.detach(), torch.autograd.grad(out, own, upstream[runs])[0]

    together = selected([0, 1])
    for found, expected in zip(selected([1]), together, strict=True):
        torch.testing.assert_close(found[0], expected[1], rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("draws", ["row", 2])
def test_another_step_or_draw_gives_other_values_and_the_same_one_the_same(draws, device):
    logits, rows = normal(1, 2, 9).to(device), normal(2, 9, seed=1).to(device)

    def selected(stream):
        return concrete_select(logits, rows, 1.0, draws=draws, stream=stream)

    stream = Stream([5], 3, device)
    first, second = selected(stream), selected(stream)
    base = torch.tensor(1, device=device)
    assert torch.equal(first, selected(Stream([5], DeviceStep(base, 2), device)))
    others = [second, selected(Stream([5], 4, device)), selected(Stream([6], 3, device))]
    assert not any(torch.equal(first, other) for other in others)


@pytest.mark.parametrize(
    ("draws", "temperature", "hard"),
    [("row", 10.0, False), ("row", 0.01, True), (1, 0.01, False), (1, 10.0, True)],
)
def test_features_far_below_all_others_are_never_read(draws, temperature, hard, device):
    excluded = torch.arange(40) % 3 == 0
    logits = (normal(1, 3, 40) - 1e4 * excluded).to(device).requires_grad_()
    rows = torch.where(excluded, 1e6, torch.ones(2, 40)).to(device)
    selected = concrete_select(
        logits,
        rows,
        temperature,
        draws=draws,
        stream=Stream([1], 0, device),
        straight_through=hard,
    )
    torch.testing.assert_close(selected, torch.ones_like(selected))
    (gradient,) = torch.autograd.grad(selected.square().sum(), logits)
    assert torch.isfinite(gradient).all()
    assert (gradient[..., excluded.to(device)] == 0).all()


@pytest.mark.parametrize("hard", [False, True])
@pytest.mark.parametrize("draws", ["row", 1])
@pytest.mark.parametrize("where", [4, slice(None)], ids=["one", "all"])
def test_a_logit_that_is_not_a_number_is_not_hidden(where, draws, hard, device):
    logits = normal(1, 2, 9)
    logits[0, 1, where] = float("nan")
    selected = concrete_select(
        logits.to(device),
        normal(2, 9, seed=1).to(device),
        1.0,
        draws=draws,
        stream=Stream([1], 0, device),
        straight_through=hard,
    )
    assert torch.isfinite(selected[..., 0]).all()
    assert torch.isnan(selected[..., 1]).all()


@pytest.mark.parametrize(
    "size", [(2, 3, 6, 300, "row"), (1, 9, 1, 66, "row"), (1, 5, 4, 128, "row")]
)
@pytest.mark.parametrize("temperature", [1.0, 0.1])
def test_weights_kept_for_the_backward_pass_match_the_reference(size, temperature, device):
    # They are rounded to 11 bits, which only the gradient of the logits notices.
    with matrix_precision("tf32"):
        compare(size, device, temperature, loose=50.0)
