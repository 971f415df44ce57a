"""Runs that are trained side by side on a CPU: some in each of several threads.

The products of a small model are too short to be divided among threads, but runs do not depend on
each other. Each thread therefore trains some of the runs; the results are those of one thread.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import TypeVar

import torch
from torch import Tensor

from ipcae.models import Model, Params
from ipcae.ops.dispatch import kernels_for
from ipcae.training.builtin_parts import is_builtin
from ipcae.training.problem import Problem
from ipcae.training.progress.callbacks import only_show
from ipcae.training.progress.interrupt import Interrupt
from ipcae.training.threads.thread_counts import useful_threads
from ipcae.training.threads.thread_pool import run_in_threads

Result = TypeVar("Result")


def parts_of(model: Model, problem: Problem, params: Params) -> list[list[int]]:
    """Divide the runs among as many threads as have enough work; runs of a seed stay together.

    Runs with the user's own code, callbacks that need all runs, or checkpoints are not divided.
    """
    n_runs, inputs = len(problem.runs), problem.rows.inputs
    divisible = (
        not problem.rows.streamed  # a table is read once
        and inputs.device.type == "cpu"
        and not kernels_for(inputs)
        and problem.checkpoint is None
        and problem.processes is None
        and only_show(problem.callbacks)
        and is_builtin(model)
        and is_builtin(problem.loss)
    )
    work = problem.plan.batch_size * sum(map(Tensor.numel, params.values()))
    n_parts = min(useful_threads(work, torch.get_num_threads()), n_runs) if divisible else 1
    order = sorted(range(n_runs), key=lambda run: problem.runs.seeds[run])
    ends = [n_runs * part // n_parts for part in range(n_parts + 1)]
    return [sorted(order[first:last]) for first, last in pairwise(ends)]


def side_by_side(
    train: Callable[[Problem, Params], Result],
    problem: Problem,
    params: Params,
    parts: Sequence[Sequence[int]],
) -> list[Result]:
    """Train the parts in threads, the first in this one, which also shows the progress.

    Ctrl-C, or an error in any of them, ends all after their current epoch.
    """

    def work(number: int, _: Interrupt) -> Result:
        own = problem.of_runs(parts[number])
        if number:
            own = replace(own, callbacks=())
        index = torch.tensor(parts[number])
        return train(own, {name: tensor[index] for name, tensor in params.items()})

    return run_in_threads(work, len(parts))
