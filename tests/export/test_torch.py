"""Exported modules, compared with our own predictions."""

import copy
import io

import numpy as np
import pytest
import torch
from torch import nn

from ipcae import InputError
from ipcae.export import to_torch

TASKS = ["integers", "texts", "labels", "number", "numbers", "none"]


def worst(module, selector, rows, given, answer):
    expected, unit = answer(selector, rows)
    with torch.no_grad():
        values = module(torch.from_numpy(given))
    assert values.dtype == torch.from_numpy(given).dtype
    assert values.shape == expected.shape
    return (np.abs(values.numpy() - expected) / unit).max()


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("columns", ["selected", "all"])
@pytest.mark.parametrize("decoder", ["linear", "two layers", "skip", "no norm", "own"])
@pytest.mark.parametrize("task", TASKS)
def test_equals_ours(fitted, new_rows, answer, task, decoder, columns, dtype):
    for scale in ("standard", None):
        selector = fitted(task, decoder, scale)
        rows = new_rows().astype(dtype)
        given = selector.transform(rows) if columns == "selected" else rows
        module = to_torch(selector, input=columns)
        assert worst(module, selector, rows, given, answer) <= 1e-5
        if dtype == "float64":
            assert worst(module.double(), selector, rows, given, answer) <= 1e-12


@pytest.mark.parametrize("task", ["texts", "number", "none"])
def test_columns_far_from_zero(fitted, new_rows, answer, task):
    selector, rows = fitted(task, scale="standard", offset=1e7), new_rows(offset=1e7)
    assert worst(to_torch(selector), selector, rows, rows, answer) <= 1e-5


@pytest.mark.parametrize("task", ["texts", "labels", "number", "numbers", "none"])
@pytest.mark.parametrize("dtype", [torch.uint8, torch.int64, torch.bool])
def test_rows_of_integers_and_booleans_are_predicted_as_numbers(fitted, new_rows, task, dtype):
    selector, rows = fitted(task), torch.from_numpy(new_rows()).abs().to(dtype)
    module = to_torch(selector)
    assert torch.equal(module(rows), module(rows.to(torch.float64)))


@pytest.mark.parametrize("input", ["all", "selected"])
@pytest.mark.parametrize("shape", [(6,), (4, 3), (4, 6), (4, 7), (1, 4, 3), (1, 4, 6)])
def test_rows_of_another_shape_are_refused(fitted, input, shape):
    module, rows = to_torch(fitted("number"), input), torch.zeros(shape)
    if shape == (4, {"all": 6, "selected": 3}[input]):
        assert module(rows).shape == (4,)
    else:
        with pytest.raises(InputError, match=r"The rows have shape .*: expected \(N, [36]\)"):
            module(rows)


@pytest.mark.parametrize("decoder", ["two layers", "skip", "own"])
@pytest.mark.filterwarnings("ignore")  # of torch.export's own insides
def test_it_can_be_copied_stored_and_exported(fitted, new_rows, decoder):
    module, rows = to_torch(fitted("number", decoder)), torch.from_numpy(new_rows())
    expected = module(rows)
    assert torch.equal(copy.deepcopy(module)(rows), expected)
    stored = io.BytesIO()
    torch.save(module.state_dict(), stored)
    stored.seek(0)
    again = to_torch(fitted("number", decoder, random_state=5))
    again.load_state_dict(torch.load(stored, weights_only=True))
    assert torch.equal(again(rows), expected)
    dynamic = ({0: torch.export.Dim("rows")},)
    program = torch.export.export(module, (rows[:4],), dynamic_shapes=dynamic)
    torch.testing.assert_close(program.module()(rows), expected)


def test_training_the_module_leaves_the_selector_alone(fitted, new_rows):
    selector, rows = fitted("number"), new_rows()
    before = selector.predict(rows)
    module = to_torch(selector)
    assert not module.training
    optimizer = torch.optim.SGD(module.parameters(), lr=0.1)
    module(torch.from_numpy(rows).float()).square().mean().backward()
    optimizer.step()
    assert all(p.grad is not None for p in module.parameters())
    np.testing.assert_array_equal(selector.predict(rows), before)


@pytest.mark.parametrize("decoder", ["one layer", "own"])
def test_the_random_state_of_the_user_is_not_moved(fitted, decoder):
    selector = fitted("number", decoder)
    state = torch.random.get_rng_state()
    assert isinstance(to_torch(selector), nn.Module)
    assert torch.equal(torch.random.get_rng_state(), state)


def test_an_unknown_input_is_refused(fitted):
    with pytest.raises(InputError, match="expected 'selected'"):
        to_torch(fitted("number"), input="every")
