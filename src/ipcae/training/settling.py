"""How long a selection is trained after it has settled."""

from __future__ import annotations

from dataclasses import replace

from ipcae.training.problem import Problem
from ipcae.training.refitting import is_compared

SETTLED_EPOCHS: int | None = None
"""Epochs with the same settled selection that are enough (benchmarks/settled.py)."""


def until_settled(problem: Problem) -> Problem:
    """Return the problem of the phase that selects, which ends soon after the selection settles.

    It does with ``early_stopping="auto"`` if all decoders are trained again, as those of classes
    are (:func:`is_compared`): what the phase would still improve is the decoder.
    """
    plan = problem.plan
    trained_again = problem.refit and problem.fine_tune_epochs and not is_compared(problem)
    if not (plan.settle and plan.patience is not None and trained_again):
        return problem
    return replace(problem, plan=replace(plan, settled_epochs=SETTLED_EPOCHS))
