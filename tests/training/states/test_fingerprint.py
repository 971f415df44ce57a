"""Fingerprints: equal only for what trains the same, and no other checkpoint is resumed."""

import functools
import math
import threading
import types
from dataclasses import dataclass, field, replace
from enum import Enum
from pathlib import Path

import numpy as np
import pytest
import torch
from torch import nn

from ipcae.constraints import Constraints
from ipcae.decoders import CustomDecoder, Mlp
from ipcae.errors import InputError
from ipcae.losses import CrossEntropy, CustomLoss, Huber
from ipcae.parametrizations import Full
from ipcae.runs import Runs
from ipcae.selectors import Concrete, LassoNet, SelectThenDecode
from ipcae.training import Checkpoint, Plan
from ipcae.training.states.fingerprint import NotComparableError, fingerprint
from tests.problems import choose_features

PLAN = Plan(max_epochs=2, batch_size=16)
FACTOR = 2.0


def same(one, other):
    return fingerprint(one) == fingerprint(other)


def module(code, **values):
    """Return a module of the user's, made from its source."""
    made = types.ModuleType("own_code")
    exec(compile(code.format(**values), "own_code.py", "exec"), made.__dict__)
    return made


# A checkpoint goes on with the same settings only.


@pytest.fixture
def resumed(rows, validation, tmp_path):
    """Train one way with a checkpoint; return a function that goes on another way."""
    pytest.importorskip("safetensors")
    usual = {
        "selector": Concrete(Full(size=4)),
        "decoder": Mlp((8,)),
        "loss": CrossEntropy(),
        "plan": PLAN,
        "runs": Runs.of([1, 2], 1e-2),
        "constraints": None,
    }

    def fit(resume, selector, decoder, loss, plan, runs, constraints, **settings):
        model = SelectThenDecode(selector, decoder, 9, 3, 3, constraints)
        settings |= {"checkpoint": Checkpoint(tmp_path, resume=resume)}
        return choose_features(model, loss, rows, validation, runs, plan, **settings)

    def go_on(first, second):
        before = fit(False, **usual | first)
        return before, fit(True, **usual | second)

    return go_on


def losses(factor):
    return {"loss": CustomLoss(lambda out, targets: factor * (out - out.detach() + 1).mean(-1))}


OTHER = {
    "unique": ({"unique": True}, {"unique": False}, "unique"),
    "fine-tuning": ({"fine_tune_epochs": 1}, {"fine_tune_epochs": 2}, "fine_tune"),
    "plan": ({}, {"plan": replace(PLAN, batch_size=8)}, "training settings"),
    "seeds": ({}, {"runs": Runs.of([1, 3], 1e-2)}, "runs"),
    "model": ({}, {"selector": Concrete(Full(size=5))}, "model"),
    "hidden from repr": ({}, {"constraints": Constraints(9, avoided=(4,))}, "constraints"),
    "lambda as loss": (
        {"loss": CustomLoss(lambda out, targets: out.square().mean(-1))},
        {"loss": CustomLoss(lambda out, targets: out.abs().mean(-1))},
        "loss",
    ),
    "lambda as decoder": (
        {"decoder": CustomDecoder(lambda n, m: nn.Linear(n, m))},
        {"decoder": CustomDecoder(lambda n, m: nn.Sequential(nn.Tanh(), nn.Linear(n, m)))},
        "decoder",
    ),
    "lambda as schedule": (
        {"plan": replace(PLAN, schedule=lambda progress: 1.0)},
        {"plan": replace(PLAN, schedule=lambda progress: 0.5)},
        "training settings",
    ),
    "what a loss closes over": (losses(1.0), losses(2.0), "loss"),
}


@pytest.mark.parametrize(("first", "second", "name"), OTHER.values(), ids=OTHER.keys())
def test_a_checkpoint_of_other_settings_is_refused_by_their_name(resumed, first, second, name):
    with pytest.raises(InputError, match=r"other data or settings \(.*\): resume with") as caught:
        resumed(first, second)
    assert name in str(caught.value).partition("(")[2].partition(")")[0].split(", ")


def lambdas():
    return {
        "loss": CustomLoss(lambda out, targets: FACTOR * out.square().mean(-1)),
        "decoder": CustomDecoder(lambda n, m: nn.Linear(n, m)),
        "plan": replace(PLAN, schedule=lambda progress: 1.0 - progress / 2),
    }


def test_the_same_lambdas_made_again_are_accepted(resumed):
    before, after = resumed(lambdas(), lambdas())
    np.testing.assert_array_equal(before.validation_loss, after.validation_loss)
    for name, tensor in before.params.items():
        assert torch.equal(tensor, after.params[name]), name


def test_incomparable_settings_raise_an_error_before_any_training(resumed):
    lock = threading.Lock()
    seen = []

    def guarded(outputs, targets):
        with lock:
            seen.append(1)
            return outputs.square().mean(-1)

    settings = {"loss": CustomLoss(guarded)}
    with pytest.raises(NotComparableError, match="A lock cannot be compared between two fits"):
        resumed(settings, settings)
    assert not seen


# Values.


class Color(Enum):
    RED = 1
    BLUE = 2


@dataclass(frozen=True)
class Point:
    x: float
    hidden: float = field(default=0.0, repr=False)
    cache: dict = field(default_factory=dict, compare=False)


class Plain:
    def __init__(self, value):
        self.value = value


DIFFERENT = {
    "numbers": (1, 2),
    "a number and a truth": (1, True),
    "a number and its text": (1, "1"),
    "zeros": (0.0, -0.0),
    "the last bit": (0.1, math.nextafter(0.1, 1)),
    "numbers of NumPy": (np.int64(3), np.int64(4)),
    "texts and bytes": ("a", b"a"),
    "nothing and its text": (None, "None"),
    "members of an enum": (Color.RED, Color.BLUE),
    "paths": (Path("a"), Path("b")),
    "types of numbers": (torch.float32, torch.float64),
    "lists and tuples": ([1, 2], (1, 2)),
    "where a tuple ends": (((1,), 2), ((1, 2),)),
    "where a dict ends": ({"a": {"b": 1}, "c": 2}, {"a": {"b": 1, "c": 2}}),
    "keys": ({"a": 1}, {"b": 1}),
    "sets": ({1, 2}, {1, 3}),
    "tensors": (torch.tensor([1.0, 2.0]), torch.tensor([1.0, 2.5])),
    "shapes": (torch.zeros(2, 3), torch.zeros(3, 2)),
    "dtypes": (torch.zeros(2), torch.zeros(2, dtype=torch.int32)),
    "half precision": (torch.ones(2, dtype=torch.bfloat16), torch.zeros(2, dtype=torch.bfloat16)),
    "arrays of text": (np.array(["a", "b"]), np.array(["a", "c"])),
    "arrays of objects": (np.array(["a", None]), np.array(["a", "b"], dtype=object)),
    "a number and an array of it": (np.array(1.0), np.array([1.0])),
    "fields": (Point(1.0), Point(2.0)),
    "a field hidden from repr": (Point(1.0, hidden=1.0), Point(1.0, hidden=2.0)),
    "attributes": (Plain(1), Plain(2)),
    "deep inside": (Mlp((8, 9)), Mlp((8, 10))),
    "groups": (LassoNet(groups=((0, 1), (2,))), LassoNet(groups=((0,), (1, 2)))),
    "classes": (Huber, CrossEntropy),
    "arguments of a partial": (functools.partial(print, 1), functools.partial(print, 2)),
    "functions in C": (math.tanh, torch.tanh),
}


@pytest.mark.parametrize(("one", "other"), DIFFERENT.values(), ids=DIFFERENT.keys())
def test_different_values_have_different_fingerprints(one, other):
    assert not same(one, other)


EQUAL = {
    "tuples": lambda: (1, (2.5, "a"), None),
    "dicts": lambda: {"a": [1, 2], "b": {3}},
    "sets": lambda: {"zebra", "ant", "cat", 3},
    "tensors": lambda: torch.arange(6.0).view(2, 3),
    "tensors in another layout": lambda: torch.arange(6.0).view(2, 3).T.contiguous().T,
    "arrays": lambda: np.array(["a", "bb"]),
    "dataclasses": lambda: Point(1.0, 2.0),
    "objects": lambda: Plain([1, Plain(2)]),
    "numbers of NumPy": lambda: Mlp((np.int64(8),)),
    "modules": lambda: torch.nn,
    "methods": lambda: Plain(1).__init__,
}


@pytest.mark.parametrize("make", EQUAL.values(), ids=EQUAL.keys())
def test_equal_values_have_equal_fingerprints(make):
    assert same(make(), make())


def test_a_layout_in_memory_does_not_matter():
    assert same(torch.arange(6.0).view(2, 3), torch.arange(6.0).view(2, 3).T.contiguous().T)


def test_one_object_twice_equals_two_equal_objects():
    once = Point(1.0)
    assert same([once, once], [Point(1.0), Point(1.0)])


def test_a_field_that_does_not_count_as_a_difference_does_not_matter():
    assert same(Point(1.0, cache={"a": 1}), Point(1.0, cache={}))
    decoder = CustomDecoder(nn.Linear)
    decoder._modules["something"] = object()
    assert same(decoder, CustomDecoder(nn.Linear))


def test_an_object_that_contains_itself_has_a_fingerprint():
    one, other = [1], [1]
    one.append(one)
    other.append(other)
    assert same(one, other)
    other.append(2)
    assert not same(one, other)


UNKNOWN = {
    "a lock": threading.Lock(),
    "a generator": np.random.default_rng(0),
    "an iterator": iter([1]),
    "an object without attributes": object(),
    "inside": Plain({"deep": [object()]}),
}


@pytest.mark.parametrize("value", UNKNOWN.values(), ids=UNKNOWN.keys())
def test_an_unknown_object_raises_an_error(value):
    with pytest.raises(NotComparableError, match=r"^A \w+ cannot be compared between two fits: .*"):
        fingerprint(value)


# Functions and classes.


def adding(amount):
    return lambda x: x + amount


def test_what_a_function_closes_over_counts_by_value():
    assert same(adding([1, 2]), adding([1, 2]))
    assert not same(adding([1, 2]), adding([1, 3]))


def test_what_a_function_closes_over_may_come_later():
    def early(x):
        return later(x)

    before = fingerprint(early)

    def later(x):
        return x

    assert before != fingerprint(early)


def scaled(x):
    return FACTOR * x


def scaled_inside(x):
    return [FACTOR * y for y in x] + (lambda: FACTOR)()


@pytest.mark.parametrize("function", [scaled, scaled_inside])
def test_the_globals_of_a_function_count_by_value(function, monkeypatch):
    before = fingerprint(function)
    monkeypatch.setitem(globals(), "OTHER", "of no use to it")
    assert fingerprint(function) == before
    monkeypatch.setitem(globals(), "FACTOR", 3.0)
    assert fingerprint(function) != before


METHOD = "    def go(self, x):\n        return x + {n}\n"
CODE = {
    "code": "def own(x):\n    return x + {n}",
    "default": "def own(x, n={n}):\n    return x + n",
    "keyword default": "def own(x, *, n={n}):\n    return x + n",
    "function it calls": "def helper(x):\n    return x + {n}\ndef own(x):\n    return helper(x)",
    "class it uses": f"class Net:\n{METHOD}def own(x):\n    return Net().go(x)",
    "method": f"class own:\n{METHOD}",
    "static method": "class own:\n    @staticmethod\n    def go(x):\n        return x + {n}",
    "property": "class own:\n    @property\n    def n(self):\n        return {n}",
    "class attribute": "class own:\n    n = {n}",
    "inherited attribute": "class Base:\n    n = {n}\nclass own(Base):\n    pass",
    "inherited method": f"class Base:\n{METHOD}class own(Base):\n    pass",
}


@pytest.mark.parametrize("code", CODE.values(), ids=CODE.keys())
def test_code_counts_wherever_it_is(code):
    one, again, other = (module(code, n=n).own for n in (1, 1, 2))
    assert same(one, again)
    assert not same(one, other)
    if isinstance(one, type):
        assert same(one(), again())
        assert not same(one(), other())


def test_a_place_in_a_file_does_not_count():
    code = "{lines}def own(x):\n    return x + 1"
    assert same(module(code, lines="").own, module(code, lines="\n\n# moved\n").own)


def test_functions_that_call_each_other_have_a_fingerprint():
    code = "def own(x):\n    return other(x)\ndef other(x):\n    return own(x) + {n}"
    assert same(module(code, n=1).own, module(code, n=1).own)
    assert not same(module(code, n=1).own, module(code, n=2).own)


def test_many_functions_that_share_others_take_no_time():
    # As many ways lead from the last to the first as there are grains on a chessboard.
    names = [f"def f{i}(x):\n    return f{i - 1}(x) + f{i - 1}(f{i - 2}(x))" for i in range(2, 64)]
    code = "\n".join(["def f0(x):\n    return {n}", "def f1(x):\n    return f0(x)", *names])
    assert not same(module(code, n=1).f63, module(code, n=2).f63)
