"""Linear decoders that are computed instead of trained."""

from __future__ import annotations

from dataclasses import replace

import torch
from torch import Tensor

from ipcae.decoders import Mlp
from ipcae.models import Params
from ipcae.rows import Rows
from ipcae.sources import StreamedRows
from ipcae.training.problem import Problem

_PLAIN = Mlp(hidden=())


def solved(problem: Problem, params: Params, rows: Rows) -> Params | None:
    """Return the linear decoders of all runs on their features, as the task computes them.

    None if the decoder is another, or if the task computes none.
    """
    if problem.decoder != _PLAIN or isinstance(rows, StreamedRows):
        return None
    weights, biases = [], []
    for run, features in enumerate(params["buffer:features"]):
        solution = _of_run(problem, params, rows.of_run(run), run, features)
        if solution is None:
            return None
        weights.append(solution[0])
        biases.append(solution[1])
    old = params["decoder.0.weight"]
    return {
        **params,
        "decoder.0.weight": torch.stack(weights).to(old),
        "decoder.0.bias": torch.stack(biases).to(old),
    }


def _of_run(
    problem: Problem, params: Params, rows: Rows, run: int, features: Tensor
) -> tuple[Tensor, Tensor] | None:
    """Return the weights of all inputs of the decoder of a run, and its bias."""
    nodes = params.get("buffer:nodes")
    used = slice(None) if nodes is None else nodes[run] != 0
    own = replace(rows, inputs=rows.inputs.index_select(1, features[used]))
    solution = problem.task.linear_solution(own, problem.loss)
    if solution is None:
        return None
    weight, bias = solution
    whole = weight.new_zeros(len(weight), len(features))
    whole[:, used] = weight
    return whole, bias


def as_measured(problem: Problem) -> Problem:
    """Return the problem with one epoch that changes nothing: it measures solved decoders."""
    runs = replace(problem.runs, learning_rates=(0.0,) * len(problem.runs))
    plan = replace(problem.plan, max_epochs=1, patience=None)
    return replace(problem, runs=runs, plan=plan, fine_tune_epochs=0, refit=False)


def on_all_rows(problem: Problem, params: Params) -> Params:
    """Solve again with the validation rows, if the decoders are to be refitted."""
    again = solved(problem, params, problem.known_rows) if problem.refit else None
    return params if again is None else again
