"""The logits of every parametrization against its formula, node by node."""

import pytest
import torch
from torch.nn import functional

from ipcae.parametrizations import Diagonal, Direct, Full, MlpLogits, Scalar, Separate
from ipcae.runs import Stream

SEEDS = [1, 2]


def direct(p, r, i):
    return p["embedding"][r, i]


def full(p, r, i):
    return p["weight"][r] @ p["embedding"][r, i] + p["bias"][r]


def diagonal(p, r, i):
    return torch.diag(p["weight"][r]) @ p["embedding"][r, i] + p["bias"][r]


def scalar(p, r, i):
    return p["weight"][r].item() * p["embedding"][r, i] + p["bias"][r]


def separate(p, r, i):
    return p["weight"][r, i] @ p["embedding"][r, i] + p["bias"][r, i]


def mlp(p, r, i):
    hidden = p["hidden_weight"][r] @ p["embedding"][r, i] + p["hidden_bias"][r]
    return p["weight"][r] @ functional.leaky_relu(hidden, 0.2) + p["bias"][r]


CASES = [
    (Direct(), direct),
    (Full(), full),
    (Full(size=3), full),
    (Diagonal(), diagonal),
    (Scalar(), scalar),
    (Separate(size=3), separate),
    (MlpLogits(size=3, hidden=5), mlp),
]


@pytest.mark.parametrize(("parametrization", "formula"), CASES, ids=lambda case: repr(case)[:20])
@pytest.mark.parametrize(("n_nodes", "n_features"), [(1, 1), (3, 7), (5, 13)])
def test_logits_follow_the_formula(parametrization, formula, n_nodes, n_features):
    params = parametrization.init(n_nodes, n_features, Stream(SEEDS))
    logits = parametrization.logits(params)
    for run in range(len(SEEDS)):
        for node in range(n_nodes):
            torch.testing.assert_close(
                logits[run, node], formula(params, run, node), rtol=1e-5, atol=1e-5
            )


@pytest.mark.parametrize("cls", [Diagonal, Scalar, Full, Separate])
def test_a_bias_shifts_the_logits_of_the_model_without_one(cls):
    params = cls().init(3, 7, Stream(SEEDS))
    shift = cls().logits(params) - cls(bias=False).logits(
        {name: tensor for name, tensor in params.items() if name != "bias"}
    )
    bias = params["bias"] if cls is Separate else params["bias"][:, None].expand(-1, 3, -1)
    torch.testing.assert_close(shift, bias, rtol=1e-4, atol=1e-5)
