"""The concrete selection against a loop in float64, value and gradient."""

import pytest
import torch

from ipcae.ops import concrete_select, group_rows, gumbel_from_bits, hard_select
from ipcae.runs import Stream

# (rows, nodes, features), none a multiple of a vector's length.
SIZES = [(1, 1, 1), (1, 3, 5), (7, 2, 13), (10, 3, 33), (17, 5, 77)]
DRAWS = [1, 3, 4, 64, "row"]
TEMPERATURES = [10.0, 1.0, 0.1, 0.01]
N_RUNS = 2


def example(n_rows, n_nodes, n_features, draws, dtype=torch.float64):
    generator = torch.Generator().manual_seed(n_features)

    def normal(*shape):
        return torch.randn(*shape, generator=generator, dtype=torch.float64).to(dtype)

    n_draws, _ = group_rows(n_rows, draws)
    noise = gumbel_from_bits(Stream([1, 2], 3).bits(n_draws, n_nodes, n_features))
    logits = normal(N_RUNS, n_nodes, n_features).requires_grad_()
    rows = normal(n_rows, n_features).requires_grad_()
    return logits, rows, noise.to(dtype), normal(N_RUNS, n_rows, n_nodes)


def by_hand(logits, rows, temperature, noise):
    """Read one row through one node at a time."""
    group = -(-len(rows) // noise.shape[1])
    selected = []
    for run in range(len(logits)):
        for row in range(len(rows)):
            for node in range(logits.shape[1]):
                scores = (logits[run, node] + noise[run, row // group, node]) / temperature
                weights = (scores - scores.max()).exp()
                selected.append((weights / weights.sum() * rows[row]).sum())
    return torch.stack(selected).view(len(logits), len(rows), logits.shape[1])


@pytest.mark.parametrize("size", SIZES, ids=str)
@pytest.mark.parametrize("draws", DRAWS)
def test_values_and_gradients_match_a_loop(size, draws):
    logits, rows, noise, upstream = example(*size, draws)
    expected = by_hand(logits, rows, 0.7, noise)
    selected = concrete_select(logits, rows, 0.7, noise=noise)
    torch.testing.assert_close(selected, expected, rtol=1e-12, atol=1e-12)
    gradients = torch.autograd.grad(selected, [logits, rows], upstream)
    by_loop = torch.autograd.grad(expected, [logits, rows], upstream)
    torch.testing.assert_close(gradients, by_loop, rtol=1e-11, atol=1e-12)


@pytest.mark.parametrize("temperature", TEMPERATURES)
@pytest.mark.parametrize("draws", [1, 4, "row"])
def test_single_precision_is_close_to_the_loop_at_every_temperature(temperature, draws):
    logits, rows, noise, upstream = example(10, 3, 33, draws)
    expected = by_hand(logits, rows, temperature, noise)
    by_loop = torch.autograd.grad(expected, [logits, rows], upstream)
    single = [logits.detach().float().requires_grad_(), rows.detach().float().requires_grad_()]
    selected = concrete_select(*single, temperature, noise=noise.float())
    gradients = torch.autograd.grad(selected, single, upstream.float())
    # Rounding the scores shifts them by up to 1e-6 / T; the gradient has one more 1 / T.
    tolerance = 4e-6 * (1 + 1 / temperature)
    torch.testing.assert_close(selected.double(), expected, rtol=0, atol=tolerance)
    torch.testing.assert_close(
        gradients[0].double(), by_loop[0], rtol=0, atol=tolerance * (1 + 4 / temperature)
    )
    torch.testing.assert_close(gradients[1].double(), by_loop[1], rtol=0, atol=4 * tolerance)


@pytest.mark.parametrize("temperature", TEMPERATURES)
@pytest.mark.parametrize("straight_through", [False, True])
@pytest.mark.parametrize("size", [1.0, 1e2, 1e4])
def test_extreme_logits_give_neither_nan_nor_infinity(temperature, straight_through, size):
    logits = torch.zeros(N_RUNS, 3, 33)
    logits[:, 0, ::2] = size
    logits[:, 0, 1::2] = -size
    logits[:, 1, 4] = size
    logits[:, 2] = -size
    logits.requires_grad_()
    rows = torch.randn(10, 33, generator=torch.Generator().manual_seed(0))
    selected = concrete_select(
        logits,
        rows,
        temperature,
        draws=4,
        stream=Stream([1, 2], 0),
        straight_through=straight_through,
    )
    (gradient,) = torch.autograd.grad(selected.square().sum(), logits)
    assert torch.isfinite(gradient).all()
    # A weighted mean of a row's values lies among them.
    low, high = rows.amin(-1)[:, None] - 1e-5, rows.amax(-1)[:, None] + 1e-5
    assert ((selected >= low) & (selected <= high)).all()


@pytest.mark.parametrize("draws", DRAWS)
@pytest.mark.parametrize("n_rows", [1, 3, 10, 16])
def test_given_noise_equals_drawn_noise(draws, n_rows):
    logits, rows, noise, _ = example(n_rows, 3, 33, draws, torch.float32)
    drawn = concrete_select(logits, rows, 0.5, draws=draws, stream=Stream([1, 2], 3))
    assert torch.equal(drawn, concrete_select(logits, rows, 0.5, noise=noise))


def test_double_precision_stays_with_drawn_noise():
    logits, rows, noise, _ = example(10, 3, 33, 4)
    drawn = concrete_select(logits, rows, 0.5, draws=4, stream=Stream([1, 2], 3))
    assert torch.equal(drawn, concrete_select(logits, rows, 0.5, noise=noise))


@pytest.mark.parametrize("straight_through", [False, True])
@pytest.mark.parametrize("draws", DRAWS)
@pytest.mark.parametrize("n_rows", [1, 10, 16])
def test_drawn_noise_has_the_gradients_of_given_noise(draws, n_rows, straight_through):
    logits, rows, noise, upstream = example(n_rows, 3, 33, draws, torch.float32)
    drawn, given = (
        torch.autograd.grad(
            concrete_select(logits, rows, 0.5, straight_through=straight_through, **source),
            [logits, rows],
            upstream,
        )
        for source in ({"draws": draws, "stream": Stream([1, 2], 3)}, {"noise": noise})
    )
    assert torch.equal(drawn[0], given[0])
    torch.testing.assert_close(drawn[1], given[1])


def test_more_draws_of_given_noise_than_rows_are_allowed():
    logits, rows, noise, _ = example(8, 3, 13, "row")
    selected = concrete_select(logits, rows[:3], 0.5, noise=noise)
    torch.testing.assert_close(selected, by_hand(logits, rows[:3], 0.5, noise[:, :3]))


def test_rows_of_one_group_share_their_noise():
    logits = torch.zeros(1, 2, 13)
    rows = torch.randn(1, 13, generator=torch.Generator().manual_seed(0)).expand(10, 13)
    selected = concrete_select(logits, rows, 1.0, draws=4, stream=Stream([1], 0))[0]
    groups = selected.split(3)
    assert all(torch.equal(group, group[:1].expand_as(group)) for group in groups)
    assert len(torch.unique(selected[:, 0])) == len(groups)


@pytest.mark.parametrize("size", SIZES, ids=str)
def test_without_noise_a_node_reads_its_largest_logit(size):
    logits, rows, _, _ = example(*size, 1)
    selected = concrete_select(logits, rows, 0.5)
    for run in range(N_RUNS):
        assert torch.equal(selected[run], rows[:, logits[run].argmax(-1)])


def test_hard_selection_reads_the_named_features_with_repetition():
    rows = torch.arange(8.0).view(2, 4)
    features = torch.tensor([[3, 3, 0], [1, 2, 1]])
    expected = torch.tensor([[[3.0, 3, 0], [7, 7, 4]], [[1, 2, 1], [5, 6, 5]]])
    assert torch.equal(hard_select(rows, features), expected)


def favored(logits, rows, noise):
    """Read the feature with the largest noisy logit."""
    group = -(-len(rows) // noise.shape[1])
    features = (logits.unsqueeze(1) + noise).argmax(-1)
    features = features.repeat_interleave(group, dim=1)[:, : len(rows)]
    return rows.expand(len(logits), *rows.shape).gather(-1, features)


@pytest.mark.parametrize("draws", [1, 4, "row"])
@pytest.mark.parametrize("temperature", TEMPERATURES)
def test_straight_through_reads_the_favored_feature(draws, temperature):
    logits, rows, noise, _ = example(10, 3, 33, draws, torch.float32)
    selected = concrete_select(logits, rows, temperature, noise=noise, straight_through=True)
    torch.testing.assert_close(selected, favored(logits, rows, noise))


def test_straight_through_reads_exactly_one_feature():
    logits, rows, noise, _ = example(17, 5, 77, "row", torch.float32)
    selected = concrete_select(logits, rows, 1.0, noise=noise, straight_through=True)
    assert torch.equal(selected, favored(logits, rows, noise))


@pytest.mark.parametrize("draws", [1, 4, "row"])
def test_straight_through_has_the_gradient_of_the_soft_sample(draws):
    logits, rows, noise, upstream = example(10, 3, 33, draws)
    gradients = []
    for straight_through in (False, True):
        selected = concrete_select(
            logits, rows, 0.5, noise=noise, straight_through=straight_through
        )
        gradients.append(torch.autograd.grad(selected, logits, upstream)[0])
    torch.testing.assert_close(*gradients, rtol=1e-12, atol=1e-12)
    assert gradients[0].abs().max() > 1e-3
