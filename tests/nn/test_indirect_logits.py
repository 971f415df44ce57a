"""The logits module is the parametrization itself, with parameters PyTorch knows by name."""

from dataclasses import dataclass

import pytest
import torch

from ipcae.errors import InputError
from ipcae.nn import IndirectLogits
from ipcae.parametrizations import Direct, Full
from ipcae.runs import Stream
from tests.parts import PARAMETRIZATIONS

every_parametrization = pytest.mark.parametrize(
    "parametrization", [make() for make in PARAMETRIZATIONS.values()], ids=list(PARAMETRIZATIONS)
)


@every_parametrization
def test_a_seed_gives_the_logits_of_the_engines_run(parametrization):
    params = parametrization.init(3, 7, Stream([11, 22]))
    expected = parametrization.logits(params)[1]
    assert torch.equal(IndirectLogits(3, 7, parametrization, seed=22)(), expected)


@every_parametrization
def test_every_parameter_is_named_and_has_a_gradient(parametrization):
    logits = IndirectLogits(3, 7, parametrization)
    expected = parametrization.init(3, 7, Stream([0]))
    assert {n: p.shape for n, p in logits.named_parameters()} == {
        name: tensor.shape[1:] for name, tensor in expected.items()
    }
    logits().square().sum().backward()
    assert all(p.grad is not None and p.grad.any() for p in logits.parameters())


@every_parametrization
def test_the_gradient_is_the_parametrizations(parametrization):
    logits = IndirectLogits(3, 7, parametrization, seed=5)
    params = {n: p[None].detach().requires_grad_() for n, p in logits.named_parameters()}
    parametrization.logits(params).square().sum().backward()
    logits().square().sum().backward()
    for name, parameter in logits.named_parameters():
        assert torch.equal(parameter.grad, params[name].grad[0]), name


def test_the_start_follows_the_global_generator_unless_seeded():
    def start(global_seed, seed=None):
        torch.manual_seed(global_seed)
        return IndirectLogits(3, 7, seed=seed)().detach()

    assert torch.equal(start(1), start(1))
    assert not torch.equal(start(1), start(2))
    assert torch.equal(start(1, seed=9), start(2, seed=9))
    torch.manual_seed(1)
    assert not torch.equal(IndirectLogits(3, 7)(), IndirectLogits(3, 7)())


@dataclass(frozen=True)
class WithBuffer:
    """Direct logits and a fixed tensor, under names that no attribute can have."""

    def init(self, n_nodes, n_features, stream):
        mask = torch.zeros(len(stream.seeds), n_features)
        mask[:, 0] = -1e4
        return {"part.embedding": stream.normal(n_nodes, n_features), "buffer:offset": mask}

    def logits(self, params):
        return params["part.embedding"] + params["buffer:offset"].unsqueeze(1)


def test_fixed_tensors_become_buffers():
    logits = IndirectLogits(4, 5, WithBuffer())
    assert [name for name, _ in logits.named_parameters()] == ["part_embedding"]
    assert [name for name, _ in logits.named_buffers()] == ["offset"]
    assert (logits()[:, 0] < -9e3).all()


def test_autocast_leaves_the_logits_in_full_precision():
    logits = IndirectLogits(3, 7)
    expected = logits()
    with torch.autocast("cpu", dtype=torch.bfloat16):
        found = logits()
    assert torch.equal(found, expected)
    found.sum().backward()


def test_its_printed_form_names_sizes_and_parametrization():
    assert repr(IndirectLogits(3, 7, Direct())) == "IndirectLogits(3, 7, Direct())"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((3, 7, Full), "expected an object such as Full"),
        ((3, 7, "full"), "expected an object such as Full"),
        ((0, 7), "n_nodes=0"),
        ((3, 0), "n_categories=0"),
    ],
)
def test_invalid_arguments_raise_an_error(arguments, message):
    with pytest.raises(InputError, match=message):
        IndirectLogits(*arguments)


def test_a_negative_seed_raises_an_error():
    with pytest.raises(InputError, match="out of range"):
        IndirectLogits(3, 7, seed=-1)


def test_parameters_have_the_default_device_and_type_of_pytorch():
    with torch.device("meta"):
        assert {tensor.device.type for tensor in IndirectLogits(3, 7).parameters()} == {"meta"}
    expected = IndirectLogits(3, 7, seed=4)
    try:
        torch.set_default_dtype(torch.float64)
        double = IndirectLogits(3, 7, seed=4)
    finally:
        torch.set_default_dtype(torch.float32)
    for one, other in zip(double.parameters(), expected.parameters(), strict=True):
        assert one.dtype == torch.float64
        assert torch.equal(one.float(), other)


@every_parametrization
def test_parameters_can_be_drawn_again(parametrization):
    first = IndirectLogits(3, 7, parametrization, seed=4)
    with torch.device("meta"):
        later = IndirectLogits(3, 7, parametrization, seed=4)
    later = later.to_empty(device="cpu")
    later.reset_parameters()
    assert torch.equal(later(), first())
    unseeded = IndirectLogits(3, 7, parametrization)
    torch.manual_seed(1)
    unseeded.reset_parameters()
    torch.manual_seed(1)
    assert torch.equal(unseeded(), IndirectLogits(3, 7, parametrization)())
    assert all(parameter.requires_grad for parameter in unseeded.parameters())


@every_parametrization
@pytest.mark.filterwarnings("ignore")  # of PyTorch's compiler and exporter
def test_pytorch_compiles_exports_and_transforms_them(parametrization):
    logits = IndirectLogits(3, 7, parametrization)
    found = torch.compile(logits, backend="eager", fullgraph=True)()
    torch.testing.assert_close(found, logits())
    gradients = torch.autograd.grad(found.square().sum(), list(logits.parameters()))
    expected = torch.autograd.grad(logits().square().sum(), list(logits.parameters()))
    torch.testing.assert_close(gradients, expected)
    torch.testing.assert_close(torch.export.export(logits, ()).module()(), logits())
    params = dict(logits.named_parameters())
    stacked = {name: torch.stack([tensor, 2 * tensor]) for name, tensor in params.items()}
    ensemble = torch.func.vmap(lambda p: torch.func.functional_call(logits, p, ()))(stacked)
    torch.testing.assert_close(ensemble[0], logits())
    assert ensemble.shape == (2, 3, 7)
