"""Linear decoders that are computed instead of trained."""

from __future__ import annotations

from dataclasses import replace

import torch

from ipcae.decoders import Mlp, linear_decoder
from ipcae.models import Params, part
from ipcae.rows import Rows
from ipcae.training.problem import Problem


def can_be_solved(problem: Problem) -> bool:
    """Return whether the decoder is linear, the task computes it, and the rows are in memory."""
    decoder = problem.decoder
    linear = isinstance(decoder, Mlp) and replace(decoder, pieces=0) == linear_decoder()
    return linear and not problem.rows.streamed and problem.task.solves(problem.loss)


def solved(problem: Problem, params: Params, rows: Rows) -> Params:
    """Return the linear decoders of all runs on their features, as the task computes them."""
    solutions = [
        _of_run(problem, {name: tensor[run] for name, tensor in params.items()}, rows.of_run(run))
        for run in range(len(problem.runs))
    ]
    found = {name: torch.stack([each[name] for each in solutions]) for name in solutions[0]}
    return {**params, **{name: tensor.to(params[name]) for name, tensor in found.items()}}


def _of_run(problem: Problem, params: Params, rows: Rows) -> Params:
    """Return the weights of all inputs of the decoder of a run, and its bias."""
    features, nodes = params["buffer:features"], params.get("buffer:nodes")
    used = torch.ones_like(features) if nodes is None else nodes
    inputs = rows.inputs.index_select(1, features) * used
    n_inputs = len(features)
    if "decoder.0.pieces" in params:
        own = {name: tensor.unsqueeze(0) for name, tensor in part(params, "decoder").items()}
        inputs = torch.cat([inputs, Mlp.steps(own, inputs.unsqueeze(0))[0]], 1)
    read = inputs.any(0)
    if not read.any():  # all columns are zero, and there is no regression without columns
        read[:] = True
    known = replace(rows, inputs=inputs[:, read], given_targets=rows.targets)
    weight, bias = problem.task.linear_solution(known)
    whole = weight.new_zeros(len(weight), inputs.shape[1])
    whole[:, read] = weight
    found = {"decoder.0.weight": whole[:, :n_inputs], "decoder.0.bias": bias}
    if "decoder.0.pieces" in params:
        found["decoder.0.pieces"] = whole[:, n_inputs:]
    return found


def as_measured(problem: Problem) -> Problem:
    """Return the problem with one epoch that changes nothing: it measures solved decoders."""
    runs = replace(problem.runs, learning_rates=(0.0,) * len(problem.runs))
    plan = replace(problem.plan, max_epochs=1, patience=None)
    return replace(problem, runs=runs, plan=plan, fine_tune_epochs=0, refit=False)
