"""Linear decoders that are computed instead of trained."""

from __future__ import annotations

from dataclasses import replace

import torch
from torch import Tensor

from ipcae.decoders import linear_decoder
from ipcae.models import Params
from ipcae.rows import Rows
from ipcae.training.problem import Problem


def can_be_solved(problem: Problem) -> bool:
    """Return whether the decoder is linear, the task computes it, and the rows are in memory."""
    linear = problem.decoder == linear_decoder()
    return linear and not problem.rows.streamed and problem.task.solves(problem.loss)


def solved(problem: Problem, params: Params, rows: Rows) -> Params:
    """Return the linear decoders of all runs on their features, as the task computes them."""
    solutions = [
        _of_run(problem, params, rows.of_run(run), run) for run in range(len(problem.runs))
    ]
    weights, biases = zip(*solutions, strict=True)
    old = params["decoder.0.weight"]
    return {
        **params,
        "decoder.0.weight": torch.stack(weights).to(old),
        "decoder.0.bias": torch.stack(biases).to(old),
    }


def _of_run(problem: Problem, params: Params, rows: Rows, run: int) -> tuple[Tensor, Tensor]:
    """Return the weights of all inputs of the decoder of a run, and its bias."""
    features, nodes = params["buffer:features"][run], params.get("buffer:nodes")
    used = slice(None) if nodes is None else nodes[run] != 0
    own = replace(rows, inputs=rows.inputs.index_select(1, features[used]))
    weight, bias = problem.task.linear_solution(own)
    whole = weight.new_zeros(len(weight), len(features))
    whole[:, used] = weight
    return whole, bias


def as_measured(problem: Problem) -> Problem:
    """Return the problem with one epoch that changes nothing: it measures solved decoders."""
    runs = replace(problem.runs, learning_rates=(0.0,) * len(problem.runs))
    plan = replace(problem.plan, max_epochs=1, patience=None)
    return replace(problem, runs=runs, plan=plan, fine_tune_epochs=0, refit=False)
