"""The selection layer in a network: modes, gradients, randomness, and copies of it."""

import copy
import io
import math
import pickle

import pytest
import torch
from torch import nn

from ipcae.errors import InputError
from ipcae.nn import ConcreteSelect
from ipcae.nn.global_stream import global_gumbel
from ipcae.ops import concrete_select, gjsd, group_rows
from ipcae.parametrizations import Direct, Full
from ipcae.schedules import Exponential
from tests.parts import PARAMETRIZATIONS
from tests.random_tensors import normal


@pytest.fixture
def rows():
    return normal(10, 13)


def layer(**settings):
    return ConcreteSelect(13, 4, seed=1, **settings)


def chosen_layer(features, **settings):
    """Return a layer whose nodes favor these features."""
    select = ConcreteSelect(13, len(features), Direct(), **settings)
    with torch.no_grad():
        select.logits.embedding.zero_()
        select.logits.embedding[torch.arange(len(features)), features] = 9.0
    return select


@pytest.mark.parametrize("draws", [1, 4, "row"])
@pytest.mark.parametrize("straight_through", [False, True])
def test_training_equals_the_engine_with_the_same_noise(rows, draws, straight_through):
    select = layer(temperature=0.7, noise_draws=draws, straight_through=straight_through)
    rows.requires_grad_()
    torch.manual_seed(3)
    found = select(rows)
    torch.manual_seed(3)
    logits = select.logits()
    noise = global_gumbel(group_rows(10, draws)[0], 4, 13, like=logits)[None]
    expected = concrete_select(
        logits[None], rows, 0.7, noise=noise, straight_through=straight_through
    )[0]
    assert torch.equal(found, expected)
    tensors = [rows, *select.parameters()]
    gradients = torch.autograd.grad(found.square().sum(), tensors)
    for own, engine in zip(
        gradients, torch.autograd.grad(expected.square().sum(), tensors), strict=True
    ):
        assert torch.equal(own, engine)
        assert own.any()


def test_evaluation_reads_the_largest_logit(rows):
    select = layer().eval()
    assert torch.equal(select(rows), rows[:, select.logits().argmax(-1)])
    assert torch.equal(select(rows), select(rows))


def test_evaluation_draws_no_random_numbers(rows):
    select = layer().eval()
    before = torch.get_rng_state()
    select(rows)
    assert torch.equal(torch.get_rng_state(), before)


def test_training_is_random_and_follows_the_global_generator(rows):
    select = layer()
    torch.manual_seed(0)
    first, second = select(rows), select(rows)
    assert not torch.equal(first, second)
    torch.manual_seed(0)
    assert torch.equal(select(rows), first)
    with torch.no_grad():
        assert torch.equal(select(rows), second)


def test_straight_through_reads_exactly_one_feature(rows):
    found = layer(straight_through=True, noise_draws="row")(rows)
    matches = (found.unsqueeze(-1) == rows.unsqueeze(1)).sum(-1)
    assert (matches == 1).all()


@pytest.mark.parametrize("training", [False, True])
@pytest.mark.parametrize("shape", [(13,), (5, 13), (5, 2, 13), (2, 3, 1, 13), (0, 13), (3, 0, 13)])
def test_leading_axes_are_kept(shape, training):
    select = layer().train(training)
    assert select(torch.rand(shape)).shape == (*shape[:-1], 4)


def test_higher_ranks_are_rows_in_order(rows):
    select = layer(noise_draws=3)
    torch.manual_seed(0)
    flat = select(rows)
    torch.manual_seed(0)
    assert torch.equal(select(rows.view(5, 2, 13)), flat.view(5, 2, 4))


@pytest.mark.parametrize("name", PARAMETRIZATIONS)
def test_every_parametrization_trains(name, rows):
    select = layer(parametrization=PARAMETRIZATIONS[name]())
    before = {n: p.detach().clone() for n, p in select.named_parameters()}
    optimizer = torch.optim.SGD(select.parameters(), lr=0.1)
    select(rows).square().sum().backward()
    optimizer.step()
    for parameter, tensor in select.named_parameters():
        assert not torch.equal(tensor, before[parameter]), parameter


def test_the_named_parameters_are_those_of_the_logits():
    names = [name for name, _ in layer().named_parameters()]
    assert names == ["logits.embedding", "logits.weight", "logits.bias"]


def test_a_state_goes_through_a_file(rows):
    select, other = layer(), ConcreteSelect(13, 4, seed=2)
    assert not torch.equal(other.logits(), select.logits())
    file = io.BytesIO()
    torch.save(select.state_dict(), file)
    file.seek(0)
    other.load_state_dict(torch.load(file, weights_only=True))
    assert torch.equal(other.eval()(rows), select.eval()(rows))


@pytest.mark.parametrize("duplicate", [copy.deepcopy, lambda m: pickle.loads(pickle.dumps(m))])
def test_a_copy_is_equal_and_independent(duplicate, rows):
    select = layer(temperature=Exponential(10.0, 0.1))
    select.set_progress(0.5)
    other = duplicate(select)
    assert other.temperature == 1.0
    torch.manual_seed(0)
    expected = select(rows)
    torch.manual_seed(0)
    assert torch.equal(other(rows), expected)
    with torch.no_grad():
        other.logits.weight.add_(1.0)
    assert not torch.equal(other.logits(), select.logits())


def test_the_temperature_follows_its_schedule_or_the_user():
    select = layer(temperature=Exponential(10.0, 0.1))
    assert select.temperature == 10.0
    select.set_progress(0.5)
    assert select.temperature == 1.0
    select.temperature = 3
    assert select.temperature == 3.0
    assert "temperature" not in "".join(select.state_dict())


def test_a_lower_temperature_gives_harder_samples():
    select = layer(noise_draws="row")
    one_hots = torch.eye(13)

    def largest():
        torch.manual_seed(0)
        return select(one_hots.repeat(40, 1)).amax().item()

    select.temperature = 100.0
    soft = largest()
    select.temperature = 0.01
    assert soft < 0.2 < 0.99 < largest()


def test_selected_distinct_and_unique_percentage():
    select = chosen_layer([3, 3, 5, 12])
    assert select.selected.tolist() == [3, 3, 5, 12]
    assert select.unique_percentage == 75.0
    distinct = select.distinct().tolist()
    assert len(set(distinct)) == 4
    assert {3, 5, 12} < set(distinct)
    assert not select.selected.requires_grad


def test_the_gjsd_is_the_regularizers_with_its_gradient():
    select = layer()
    torch.testing.assert_close(select.gjsd(), gjsd(select.logits()[None])[0])
    assert chosen_layer([1, 1]).gjsd().item() == pytest.approx(0.0, abs=1e-6)
    assert chosen_layer([1, 2]).gjsd().item() == pytest.approx(math.log(2), abs=0.02)
    select.gjsd().backward()
    assert all(p.grad.any() for p in select.parameters())


@pytest.mark.parametrize("dtype", [torch.float64, torch.float16, torch.bfloat16])
@pytest.mark.parametrize("training", [False, True])
def test_the_output_has_the_precision_of_the_parameters(dtype, training, rows):
    select = layer().to(dtype).train(training)
    found = select(rows.requires_grad_())
    assert found.dtype == dtype
    found.sum().backward()
    assert rows.grad.dtype == rows.dtype


def test_autocast_selects_in_full_precision(rows):
    select = layer()
    torch.manual_seed(0)
    expected = select(rows)
    torch.manual_seed(0)
    with torch.autocast("cpu", dtype=torch.bfloat16):
        found = select(rows)
        outputs = nn.Linear(4, 2)(found)
    assert torch.equal(found, expected)
    outputs.sum().backward()


@pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a CUDA device")
@pytest.mark.parametrize("straight_through", [False, True])
def test_it_moves_to_the_gpu(rows, straight_through):
    select = layer(straight_through=straight_through).cuda()
    torch.manual_seed(0)
    found = select(rows.cuda())
    torch.manual_seed(0)
    assert torch.equal(select(rows.cuda()), found)
    assert found.is_cuda
    assert select.distinct().is_cuda
    found.square().sum().backward()
    assert all(p.grad.is_cuda for p in select.parameters())
    hard = select.eval()(rows.cuda()).cpu()
    assert torch.equal(hard, rows[:, select.selected.cpu()])


INFORMATIVE = [2, 7, 13]


def trained_on_informative_features(seed, **settings):
    """Train in a plain loop to predict three of twenty features; return how many were found."""
    torch.manual_seed(seed)
    rows = torch.randn(512, 20)
    targets = rows[:, INFORMATIVE]
    select = ConcreteSelect(20, 3, **settings)
    network = nn.Sequential(select, nn.Linear(3, 64), nn.ReLU(), nn.Linear(64, 3))
    optimizer = torch.optim.Adam(network.parameters(), lr=0.02)
    for step in range(400):
        if select.schedule is not None:
            select.set_progress(step / 400)
        batch = torch.randint(512, (64,))
        loss = nn.functional.mse_loss(network(rows[batch]), targets[batch])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    with torch.no_grad():
        error = nn.functional.mse_loss(network.eval()(rows), targets).item()
    return len(set(select.selected.tolist()) & set(INFORMATIVE)), error


@pytest.mark.parametrize("seed", [0, 1])
def test_a_plain_loop_finds_the_informative_features(seed):
    found, error = trained_on_informative_features(seed, temperature=Exponential(10.0, 0.05))
    assert found == 3
    assert error < 0.02


def test_a_plain_loop_learns_with_straight_through_samples():
    # With hard samples two nodes now and then keep the same feature: 10 of 12 seeds find all.
    found, error = trained_on_informative_features(0, temperature=2.0, straight_through=True)
    assert found >= 2
    assert error < 0.5


@pytest.mark.parametrize("temperature", [0.0, -1.0, math.nan, math.inf])
def test_an_invalid_temperature_raises_an_error(temperature):
    with pytest.raises(InputError, match="expected a finite number above 0"):
        layer(temperature=temperature)
    select = layer()
    with pytest.raises(InputError, match="expected a finite number above 0"):
        select.temperature = temperature
    assert select.temperature == 1.0


def test_progress_without_a_schedule_raises_an_error():
    with pytest.raises(InputError, match="has no schedule"):
        layer(temperature=0.5).set_progress(0.5)


@pytest.mark.parametrize("draws", [0, -1, 2.5, True, None, "rows"])
def test_an_invalid_number_of_draws_raises_an_error(draws):
    with pytest.raises(InputError, match="noise_draws"):
        layer(noise_draws=draws)


@pytest.mark.parametrize("shape", [(), (5,), (13, 5)])
def test_a_wrong_number_of_features_raises_an_error(shape):
    with pytest.raises(InputError, match="expected 13 features"):
        layer()(torch.zeros(shape))


@pytest.mark.parametrize("sizes", [(13, 2.5), (13.0, 2), (13, True), ("13", 2), (13, 0), (0, 0)])
def test_sizes_that_are_no_positive_integers_raise_an_error(sizes):
    with pytest.raises(InputError, match=r"n_(features|selected)=.*: expected a positive integer"):
        ConcreteSelect(*sizes)


@pytest.mark.parametrize("temperature", ["cold", None])
def test_a_temperature_that_is_no_number_raises_an_error(temperature):
    with pytest.raises(InputError, match=r"temperature=.* expected a number above 0"):
        layer(temperature=temperature)


@pytest.mark.filterwarnings("ignore")  # of PyTorch's exporter
def test_a_network_with_the_layer_is_exported_and_differentiated_by_torch_func(rows):
    network = nn.Sequential(layer(), nn.Linear(4, 2)).eval()
    rows_axis = ({0: torch.export.Dim("rows")},)
    program = torch.export.export(network, (rows,), dynamic_shapes=rows_axis)
    torch.testing.assert_close(program.module()(rows[:3]), network(rows[:3]))
    jacobian = torch.func.vmap(torch.func.jacrev(network))(rows)
    assert jacobian.shape == (len(rows), 2, 13)
    unselected = [d for d in range(13) if d not in network[0].selected.tolist()]
    assert not jacobian[..., unselected].any()
    assert jacobian.any()


def test_more_nodes_than_features_raise_an_error():
    with pytest.raises(InputError, match="Cannot select 14 of 13"):
        ConcreteSelect(13, 14)


def test_its_printed_form_shows_the_layer_and_its_logits():
    printed = repr(layer(parametrization=Full(size=3), temperature=0.5))
    assert "ConcreteSelect(\n  13, 4, temperature=0.5, noise_draws=8" in printed
    assert "(logits): IndirectLogits(4, 13, Full(size=3, bias=True))" in printed
