"""Models are their parts: select, then decode."""

import pytest
import torch

from ipcae.constraints import Constraints
from ipcae.decoders import Mlp
from ipcae.models import FixedSelection, join, part
from ipcae.ops import concrete_select
from ipcae.parametrizations import Full
from ipcae.regularizers import Gjsd, gjsd
from ipcae.runs import Stream
from ipcae.selectors import Concrete, SelectThenDecode

SEEDS = [1, 2]


@pytest.fixture
def selector():
    return Concrete(Full(size=4), noise_draws=3, regularizer=Gjsd(0.1))


@pytest.fixture
def model(selector):
    return SelectThenDecode(selector, Mlp((8,)), n_features=7, n_selected=3, n_outputs=2)


@pytest.fixture
def params(model):
    return model.init(Stream(SEEDS))


@pytest.fixture
def rows():
    return torch.randn(10, 7, generator=torch.Generator().manual_seed(0))


def test_joining_parts_and_taking_them_apart_are_inverse():
    parts = {"selector": {"a": 1, "b.c": 2}, "decoder": {"a": 3}}
    joined = join(**parts)
    assert {name: part(joined, name) for name in parts} == parts


def test_a_part_whose_name_begins_like_anothers_is_kept_apart():
    assert part({"a.x": 1, "ab.x": 2}, "a") == {"x": 1}


def test_without_a_stream_the_model_decodes_the_hard_selection(model, params, rows):
    features = model.logits(params).argmax(-1)
    selected = torch.stack([rows[:, own] for own in features])
    expected = model.decoder.apply(part(params, "decoder"), selected)
    torch.testing.assert_close(model.predict(params, rows), expected)


@pytest.mark.parametrize("progress", [0.0, 0.5])
def test_with_a_stream_the_model_decodes_a_soft_selection(model, params, rows, progress):
    temperature = model.selector.temperature(progress)
    selected = concrete_select(
        model.logits(params), rows, temperature, draws=3, stream=Stream(SEEDS, 4)
    )
    expected = model.decoder.apply(part(params, "decoder"), selected)
    outputs = model.predict(params, rows, progress, Stream(SEEDS, 4))
    assert torch.equal(outputs, expected)


def test_the_model_passes_on_the_selectors_penalty_and_figures(model, params, rows):
    logits = model.logits(params)
    outputs, penalty = model.predict_with_penalty(params, rows, 0.5, Stream(SEEDS, 4))
    torch.testing.assert_close(penalty, -gjsd(logits))
    assert torch.equal(outputs, model.predict(params, rows, 0.5, Stream(SEEDS, 4)))
    figures = model.describe(params, 0.5)
    assert set(figures) == {"unique_percentage", "gjsd", "temperature", "largest_probability"}
    assert all(values.shape == (2,) for values in figures.values())
    largest = torch.softmax(logits, -1).max(-1).values.mean(-1)
    torch.testing.assert_close(figures["largest_probability"], largest)
    torch.testing.assert_close(figures["temperature"], torch.full((2,), 10 * 0.001**0.5))


def test_excluded_features_have_no_probability_at_the_highest_temperature(selector, rows):
    model = SelectThenDecode(selector, Mlp((8,)), 7, 3, 2, Constraints(7, avoided=(0, 4)))
    params = model.init(Stream(SEEDS))
    probability = torch.softmax(model.logits(params) / 10, -1)
    assert probability[..., [0, 4]].max() == 0
    _, penalty = model.predict_with_penalty(params, rows, 0.5, Stream(SEEDS, 4))
    assert torch.isfinite(penalty).all()


def test_excluding_features_does_not_change_the_logits_of_the_others(selector, model, params):
    excluding = SelectThenDecode(selector, Mlp((8,)), 7, 3, 2, Constraints(7, avoided=(0, 4)))
    others = [1, 2, 3, 5, 6]
    logits = excluding.logits(excluding.init(Stream(SEEDS)))
    assert torch.equal(logits[..., others], model.logits(params)[..., others])


@pytest.fixture
def fixed():
    return FixedSelection(Mlp((8,)), n_selected=3, n_outputs=2)


def test_a_fixed_selection_predicts_as_the_model_it_starts_from(model, params, rows, fixed):
    features = model.logits(params).argmax(-1)
    start = fixed.start_from(params, features)
    assert torch.equal(fixed.predict(start, rows), model.predict(params, rows))
    selected = torch.stack([rows[:, own] for own in features])
    torch.testing.assert_close(fixed.decode(start, selected), model.predict(params, rows))


def test_a_fixed_selection_reads_nothing_but_its_features(model, params, rows, fixed):
    features = torch.tensor([[0, 2, 5], [2, 5, 5]])
    start = fixed.start_from(params, features)
    before = fixed.predict(start, rows)
    changed = rows.clone()
    changed[:, [1, 3, 4, 6]] = float("nan")
    assert torch.equal(fixed.predict(start, changed), before)


def test_a_fixed_selection_trains_its_decoder_only(model, params, fixed, rows):
    start = fixed.start_from(params, torch.zeros(2, 3, dtype=torch.long))
    trained = {name for name in start if "buffer:" not in name}
    assert trained == {name for name in params if name.startswith("decoder.")}
    assert fixed.predict_with_penalty(start, rows, 0.5, Stream(SEEDS, 4))[1] is None
    assert fixed.describe(start, 0.5) == {}


def test_a_fixed_selection_draws_a_decoder_as_the_model_does(fixed):
    own = fixed.init(Stream(SEEDS))
    decoder = Mlp((8,)).init(3, 2, Stream(SEEDS))
    assert all(torch.equal(part(own, "decoder")[name], decoder[name]) for name in decoder)
