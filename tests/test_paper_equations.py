"""The paper's equations, each computed a second time from its formula."""

import math

import numpy as np
import pytest
import torch
from scipy import special

from ipcae.decoders import Mlp
from ipcae.losses import CrossEntropy, mean_loss
from ipcae.ops import concrete_select
from ipcae.parametrizations import Direct, Full, Scalar, Separate
from ipcae.regularizers import Gjsd, gjsd
from ipcae.runs import Stream
from ipcae.selection import unique_percentage
from ipcae.selectors import METHODS, Concrete, SelectThenDecode


@pytest.fixture
def generator():
    return torch.Generator().manual_seed(0)


def normal(generator, *shape):
    return torch.randn(*shape, generator=generator, dtype=torch.float64)


@pytest.mark.parametrize("method", ["cae", "ip-cae"])
@pytest.mark.parametrize("epoch", [0, 1, 50, 100, 199])
def test_temperature_falls_exponentially_from_10_to_a_hundredth(method, epoch):
    expected = 10 * (0.01 / 10) ** (epoch / 200)
    assert METHODS[method].temperature(epoch / 200) == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("n_nodes", [1, 2, 5, 50])
def test_unique_percentage_is_the_share_of_different_maxima(n_nodes, generator):
    logits = normal(generator, 3, n_nodes, 7)
    maxima = [[max(range(7), key=node.__getitem__) for node in run.tolist()] for run in logits]
    expected = [100 * len(set(features)) / n_nodes for features in maxima]
    assert unique_percentage(logits.argmax(-1)).tolist() == pytest.approx(expected)


@pytest.mark.parametrize("n_nodes", [1, 2, 7])
def test_gjsd_is_zero_for_equal_distributions(n_nodes, generator):
    logits = normal(generator, 2, 1, 13).expand(2, n_nodes, 13)
    torch.testing.assert_close(gjsd(logits), torch.zeros(2, dtype=torch.float64))


@pytest.mark.parametrize("n_nodes", [1, 2, 7])
def test_gjsd_is_log_k_for_disjoint_distributions(n_nodes):
    # Each node spreads over two features of its own.
    logits = torch.full((1, n_nodes, 2 * n_nodes), -1e3, dtype=torch.float64)
    for node in range(n_nodes):
        logits[0, node, 2 * node : 2 * node + 2] = 0
    assert gjsd(logits).item() == pytest.approx(math.log(n_nodes), abs=1e-12)


@pytest.mark.parametrize("scale", [0.1, 1.0, 20.0])
def test_gjsd_is_the_mean_divergence_from_the_mixture(scale, generator):
    logits = scale * normal(generator, 3, 5, 11)
    p = special.softmax(logits.numpy(), axis=-1)
    mixture = p.mean(axis=1, keepdims=True)
    expected = special.rel_entr(p, mixture).sum(-1).mean(-1)
    np.testing.assert_allclose(gjsd(logits).numpy(), expected, rtol=1e-10)


def test_gradient_of_gjsd_matches_finite_differences(generator):
    assert torch.autograd.gradcheck(gjsd, normal(generator, 2, 3, 5).requires_grad_())


def test_regularized_loss_subtracts_lambda_times_gjsd(generator):
    params = {"embedding": normal(generator, 2, 3, 5)}
    rows = normal(generator, 4, 5)
    plain, no_penalty = METHODS["cae"].select(params, rows, 0.5, None)
    assert no_penalty is None
    regularized = Concrete(Direct(), regularizer=Gjsd(0.05))
    assert regularized.penalty_weight == 0.05
    selected, penalty = regularized.select(params, rows, 0.5, None)
    torch.testing.assert_close(penalty, -gjsd(params["embedding"]))
    assert torch.equal(selected, plain)


def embedding_gradient(parametrization, params, rows, targets):
    """Return the logits and the gradient of one training step's loss to the embedding."""
    model = SelectThenDecode(Concrete(parametrization, noise_draws=4), Mlp((8,)), 6, 3, 2)
    decoder = {f"decoder.{k}": v.double() for k, v in Mlp((8,)).init(3, 2, Stream([1])).items()}
    params = {name: tensor.clone().requires_grad_() for name, tensor in params.items()}
    named = {f"selector.{name}": tensor for name, tensor in params.items()}
    outputs = model.predict(decoder | named, rows, progress=0.3, stream=Stream([1], 0))
    loss = mean_loss(CrossEntropy().per_row(outputs, targets)).sum()
    return model.logits(decoder | named), torch.autograd.grad(loss, params["embedding"])[0]


def test_cae_is_ip_cae_with_the_identity_as_weight(generator):
    rows = normal(generator, 10, 6)
    targets = torch.randint(0, 2, (10,), generator=generator)
    embedding = normal(generator, 1, 3, 6)
    identity = torch.eye(6, dtype=torch.float64)[None]
    direct = embedding_gradient(Direct(), {"embedding": embedding}, rows, targets)
    full = embedding_gradient(
        Full(bias=False), {"embedding": embedding, "weight": identity}, rows, targets
    )
    torch.testing.assert_close(full, direct, rtol=1e-13, atol=0)
    assert direct[1].abs().max() > 1e-4


def sgd_step(parametrization, params, loss, rate):
    """Return the logits before, the loss's gradient to them, and the logits after one step."""
    params = {name: tensor.clone().requires_grad_() for name, tensor in params.items()}
    logits = parametrization.logits(params)
    gradients = torch.autograd.grad(loss(logits), [logits, *params.values()])
    moved = {
        name: tensor.detach() - rate * gradient
        for (name, tensor), gradient in zip(params.items(), gradients[1:], strict=True)
    }
    return logits.detach()[0], gradients[0][0], parametrization.logits(moved)[0], moved


@pytest.fixture
def loss(generator):
    """Return a loss that reads the logits as training does: through noise and a softmax."""
    rows, weight = normal(generator, 9, 6), normal(generator, 1)

    def of_logits(logits):
        noise = normal(torch.Generator().manual_seed(1), 1, 1, *logits.shape[1:])
        selected = concrete_select(logits, rows, 0.5, noise=noise)
        return 10 * (selected.sum(-1) - weight).square().mean()

    return of_logits


@pytest.mark.parametrize("rate", [1e-3, 0.3])
def test_full_weight_moves_a_single_node_by_the_papers_update(rate, generator, loss):
    params = {"embedding": normal(generator, 1, 1, 6), "weight": normal(generator, 1, 6, 6)}
    (psi,), weight = params["embedding"][0], params["weight"][0]
    before, (gradient,), after, _ = sgd_step(Full(bias=False), params, loss, rate)
    scaling = psi @ (psi - rate * weight.T @ gradient)
    transform = weight @ weight.T + scaling * torch.eye(6, dtype=torch.float64)
    torch.testing.assert_close(
        after[0], before[0] - rate * transform @ gradient, rtol=1e-12, atol=1e-12
    )
    assert (after - before).abs().max() > 1e-3 * rate


@pytest.mark.parametrize("rate", [1e-3, 0.3])
def test_separate_weights_move_every_node_by_the_papers_update(rate, generator, loss):
    # The paper derives the update of W from one node, which is exact when each has its own W.
    params = {"embedding": normal(generator, 1, 4, 6), "weight": normal(generator, 1, 4, 6, 6)}
    before, gradients, after, _ = sgd_step(Separate(bias=False), params, loss, rate)
    for node, gradient in enumerate(gradients):
        psi, weight = params["embedding"][0, node], params["weight"][0, node]
        scaling = psi @ (psi - rate * weight.T @ gradient)
        transform = weight @ weight.T + scaling * torch.eye(6, dtype=torch.float64)
        expected = before[node] - rate * transform @ gradient
        torch.testing.assert_close(after[node], expected, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("rate", [1e-3, 0.3])
def test_a_shared_full_weight_mixes_the_gradients_of_all_nodes(rate, generator, loss):
    # With K nodes, the scaling ψᵢᵀψᵢ⁺ ∇ᵢ becomes Σⱼ ψⱼᵀψᵢ⁺ ∇ⱼ.
    params = {"embedding": normal(generator, 1, 4, 6), "weight": normal(generator, 1, 6, 6)}
    psi, weight = params["embedding"][0], params["weight"][0]
    before, gradients, after, moved = sgd_step(Full(bias=False), params, loss, rate)
    next_psi = psi - rate * gradients @ weight
    torch.testing.assert_close(moved["embedding"][0], next_psi, rtol=1e-12, atol=1e-12)
    expected = before - rate * (gradients @ weight @ weight.T + next_psi @ psi.T @ gradients)
    torch.testing.assert_close(after, expected, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("n_nodes", [1, 4])
@pytest.mark.parametrize("rate", [1e-3, 0.3])
def test_scalar_weight_moves_the_logits_by_the_papers_update(n_nodes, rate, generator, loss):
    params = {"embedding": normal(generator, 1, n_nodes, 6), "weight": normal(generator, 1, 1)}
    psi, w = params["embedding"][0], params["weight"].item()
    before, gradients, after, moved = sgd_step(Scalar(bias=False), params, loss, rate)
    w_gradient = (gradients * psi).sum().item()
    next_w = w - rate * w_gradient
    assert moved["weight"].item() == pytest.approx(next_w, rel=1e-12)
    expected = w * psi - rate * (w * next_w * gradients + w_gradient * psi)
    torch.testing.assert_close(after, expected, rtol=1e-12, atol=1e-12)
    torch.testing.assert_close(before, w * psi)
