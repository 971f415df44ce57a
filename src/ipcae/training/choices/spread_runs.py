"""Runs that are spread over processes: each trains some of them, and all receive the results."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from ipcae.decoders import Mlp
from ipcae.distributed import Processes, active
from ipcae.training.choices.choice import Choice
from ipcae.training.choices.joining import joined_choices
from ipcae.training.problem import Problem
from ipcae.training.states.fingerprint import fingerprint

_SAMPLE = slice(64)  # rows that are compared between the processes


def choose_together(choose: Callable[[Problem], Choice], problem: Problem) -> Choice:
    """Let the active processes, if any, choose features together; return the result of all runs."""
    processes = active()
    if processes is None:
        return choose(problem)
    _require_same_problem(processes, problem)
    if processes.rows:
        return choose(replace(problem, processes=processes))
    runs = processes.assigned_runs(len(problem.runs))
    own = choose(problem.of_runs(runs[processes.rank]))
    params = {name: tensor.cpu() for name, tensor in own.params.items()}
    # The user's own network may not be sent to others; it is the same in all processes.
    model = own.model if isinstance(own.model.decoder, Mlp) else None
    choices = [
        replace(choice, model=choice.model or own.model)
        for choice in processes.gathered(replace(own, model=model, params=params))  # type: ignore[arg-type]
    ]
    used = min(processes.size, len(problem.runs))
    joined = joined_choices(choices[:used], runs[:used])
    device = problem.rows.inputs.device
    return replace(
        joined,
        params={name: tensor.to(device) for name, tensor in joined.params.items()},
        seconds=max(choice.seconds for choice in choices),
    )


def _require_same_problem(processes: Processes, problem: Problem) -> None:
    rows = problem.rows
    mark = fingerprint(
        (problem.runs, problem.plan, problem.n_selected, len(rows), rows.take(_SAMPLE))
    )
    processes.require_same(mark, "data or settings")
