"""A custom network: built per run, and trained in a batch as it is alone."""

import pytest
import torch
from torch import nn
from torch.nn import functional

from ipcae.decoders import CustomDecoder
from ipcae.errors import InputError
from ipcae.losses import CrossEntropy
from ipcae.parametrizations import Direct
from ipcae.rows import Rows
from ipcae.runs import Runs, Stream
from ipcae.selectors import Concrete, SelectThenDecode
from ipcae.training import Plan, train
from tests.problems import problem


def plain(n_inputs, n_outputs):
    return nn.Sequential(nn.Linear(n_inputs, 8), nn.Tanh(), nn.Linear(8, n_outputs))


def with_batch_norm(n_inputs, n_outputs):
    return nn.Sequential(nn.Linear(n_inputs, 8), nn.BatchNorm1d(8), nn.Linear(8, n_outputs))


def with_dropout(n_inputs, n_outputs):
    return nn.Sequential(nn.Linear(n_inputs, 8), nn.Dropout(0.3), nn.Linear(8, n_outputs))


FACTORIES = [plain, with_batch_norm, with_dropout]
SEEDS = [5, 6, 7]


@pytest.fixture(params=FACTORIES, ids=lambda factory: factory.__name__)
def decoder(request):
    return CustomDecoder(request.param)


@pytest.fixture
def inputs():
    return torch.randn(len(SEEDS), 9, 4, generator=torch.Generator().manual_seed(0))


def test_outputs_are_those_of_a_module_with_the_same_state(decoder, inputs):
    params = decoder.init(4, 2, Stream(SEEDS))
    outputs = decoder.apply(params, inputs)
    for run in range(len(SEEDS)):
        module = decoder.factory(4, 2).eval()
        module.load_state_dict({n.removeprefix("buffer:"): t[run] for n, t in params.items()})
        torch.testing.assert_close(outputs[run], module(inputs[run]).detach())


def test_a_run_starts_the_same_whatever_the_others_and_differs_from_them(decoder):
    among, alone = decoder.init(4, 2, Stream(SEEDS)), decoder.init(4, 2, Stream(SEEDS[1:2]))
    assert all(torch.equal(among[name][1:2], alone[name]) for name in alone)
    assert not torch.equal(among["0.weight"][0], among["0.weight"][1])


def test_building_and_calling_leave_the_global_random_state_alone(decoder, inputs):
    before = torch.random.get_rng_state()
    params = decoder.init(4, 2, Stream(SEEDS))
    decoder.apply(params, inputs, Stream(SEEDS, 0))
    assert torch.equal(torch.random.get_rng_state(), before)


def test_a_training_call_depends_on_seed_and_step_alone(decoder, inputs):
    params = decoder.init(4, 2, Stream(SEEDS))
    torch.manual_seed(1)
    first = decoder.apply(params, inputs, Stream(SEEDS, 0))
    torch.manual_seed(2)
    torch.testing.assert_close(first, decoder.apply(params, inputs, Stream(SEEDS, 0)))
    alone = decoder.apply(
        {name: tensor[1:2] for name, tensor in params.items()}, inputs[1:2], Stream(SEEDS[1:2], 0)
    )
    torch.testing.assert_close(first[1:2], alone)


def test_dropout_is_drawn_for_every_run_and_step_of_training_only(inputs):
    decoder = CustomDecoder(with_dropout)
    params = {n: t[:1].expand_as(t) for n, t in decoder.init(4, 2, Stream(SEEDS)).items()}
    same = inputs[:1].expand_as(inputs)
    first = decoder.apply(params, same, Stream(SEEDS, 0))
    assert not torch.allclose(first[0], first[1])
    assert not torch.allclose(first, decoder.apply(params, same, Stream(SEEDS, 1)))
    assert torch.equal(decoder.apply(params, same), decoder.apply(params, same))


def test_batch_norm_learns_its_statistics_in_training_only(inputs):
    decoder = CustomDecoder(with_batch_norm)
    params = decoder.init(4, 2, Stream(SEEDS))
    decoder.apply(params, inputs)
    assert params["buffer:1.num_batches_tracked"].tolist() == [0, 0, 0]
    decoder.apply(params, inputs, Stream(SEEDS, 0))
    assert params["buffer:1.num_batches_tracked"].tolist() == [1, 1, 1]
    hidden = inputs @ params["0.weight"].transpose(1, 2) + params["0.bias"][:, None]
    torch.testing.assert_close(params["buffer:1.running_mean"], 0.1 * hidden.mean(1))


def test_batched_equals_alone_in_training(decoder):
    generator = torch.Generator().manual_seed(0)
    x = torch.randn(60, 13, generator=generator)
    y = (x[:, 3] > 0).long()
    rows, validation = Rows(x[:43], y[:43]), Rows(x[43:], y[43:])
    model = SelectThenDecode(Concrete(Direct()), decoder, 13, 3, 2)
    runs, plan = Runs.of(SEEDS, [1e-2, 1e-3, 3e-2]), Plan(max_epochs=4, batch_size=10)
    together = train(model, problem(CrossEntropy(), rows, validation, runs, plan))
    for run in range(len(SEEDS)):
        alone = train(model, problem(CrossEntropy(), rows, validation, runs.subset([run]), plan))
        assert alone.best_epoch[0] == together.best_epoch[run]
        for name, tensor in alone.params.items():
            torch.testing.assert_close(
                tensor[0], together.params[name][run], rtol=1e-4, atol=1e-6, msg=name
            )


@pytest.mark.filterwarnings("ignore:.*torch.jit:DeprecationWarning")
@pytest.mark.parametrize(
    ("factory", "sentence"),
    [
        (lambda n_in, n_out: "linear", r"returned a str: expected an nn\.Module .* 4 inputs to 2"),
        (lambda n_in, n_out: nn.Linear(n_in + 1, n_out), "cannot take 4 inputs .* two numbers"),
        (lambda n_in, n_out: nn.Linear(n_in, n_out + 1), r"shape \(2, 3\): expected .* \(2, 2\)"),
        (lambda n_in, n_out: nn.Linear(n_in, n_out).double(), "inputs in float32 .* Double"),
        (lambda n_in, n_out: torch.jit.script(nn.Linear(n_in, n_out)), "Jitted"),
    ],
    ids=["no module", "wrong inputs", "wrong outputs", "double precision", "TorchScript"],
)
def test_an_unusable_network_is_explained(factory, sentence):
    with pytest.raises(InputError, match=sentence):
        CustomDecoder(factory).init(4, 2, Stream([0]))


class FunctionalDropout(nn.Module):
    def __init__(self, n_inputs, n_outputs):
        super().__init__()
        self.linear = nn.Linear(n_inputs, n_outputs)

    def forward(self, inputs):
        return self.linear(functional.dropout(inputs, 0.5, self.training))


def test_a_network_may_draw_random_numbers_in_its_forward(inputs):
    decoder = CustomDecoder(FunctionalDropout)
    params = decoder.init(4, 2, Stream(SEEDS))
    decoder.apply(params, inputs, Stream(SEEDS, 0))


def test_one_decoder_serves_models_of_different_sizes():
    decoder = CustomDecoder(lambda n, m: nn.Sequential(nn.LayerNorm(n), nn.Linear(n, m)))
    params = decoder.init(3, 2, Stream([0]))
    decoder.init(5, 2, Stream([0]))
    assert decoder.apply(params, torch.ones(1, 9, 3)).shape == (1, 9, 2)


def test_a_frozen_layer_is_not_trained():
    def factory(n_inputs, n_outputs):
        network = plain(n_inputs, n_outputs)
        network[0].requires_grad_(False)
        return network

    model = SelectThenDecode(Concrete(Direct()), CustomDecoder(factory), 13, 3, 2)
    x = torch.randn(40, 13, generator=torch.Generator().manual_seed(0))
    rows = Rows(x, (x[:, 0] > 0).long())
    plan = Plan(max_epochs=2, batch_size=10)
    fit = train(model, problem(CrossEntropy(), rows, rows, Runs.of([1], 0.01), plan))
    start = model.init(Stream([1]))
    assert not torch.equal(fit.params["decoder.2.weight"], start["decoder.2.weight"])
    assert torch.equal(fit.params["decoder.buffer:0.weight"], start["decoder.buffer:0.weight"])
