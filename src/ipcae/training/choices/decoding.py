"""Training of new decoders on fixed selections."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ipcae.runs import Stream
from ipcae.selection import Selection
from ipcae.training.choices.choice import Choice, conclude, stacked_features
from ipcae.training.choices.solving import as_measured, can_be_solved, solved
from ipcae.training.fit import Fit, untrained
from ipcae.training.phases import Phase
from ipcae.training.problem import Problem
from ipcae.training.states.state import INTERRUPTED
from ipcae.training.trainer import train


def decode_included(problem: Problem) -> Choice:
    """Train decoders on the included features, if these are all that may be selected."""
    given = problem.constraints
    selection = Selection.of_units(given, given.included_units, np.zeros(len(given.units)))
    return decode(problem, [selection] * len(problem.runs), untrained(len(problem.runs)))


def decode(
    problem: Problem, selections: list[Selection], before: Fit, n_inputs: int | None = None
) -> Choice:
    """Train a new decoder for every selection, fine-tune it and evaluate it.

    A linear decoder that the task computes (:meth:`Task.linear_solution`) is not trained.

    ``before`` is the result of the phase that made the selections. If it was interrupted, the
    decoders are trained for one epoch only.

    The decoders have ``n_inputs`` inputs, by default as many as K units have columns at most.
    """
    model = problem.final_model
    if n_inputs is not None:
        model = replace(model, n_selected=n_inputs)
    device = problem.rows.inputs.device
    params = model.init(Stream(problem.runs.seeds, device=device))
    params = model.narrowed(params, [len(selection.features) for selection in selections])
    params["buffer:features"] = stacked_features(selections, model.n_selected)[0].to(device)
    if can_be_solved(problem):
        measured = as_measured(problem)
        fit = train(model, measured, Phase.DECODING, start=solved(problem, params, problem.rows))
        choice = conclude(measured, model, selections, before.followed_by(fit))
        if not problem.refit:
            return choice
        return replace(choice, params=solved(problem, choice.params, problem.known_rows))
    decoding = problem
    if INTERRUPTED in before.status:
        short = replace(problem.plan, max_epochs=1)
        decoding = replace(problem, plan=short, checkpoint=None)
    fit = train(model, decoding, Phase.DECODING, start=params)
    return conclude(problem, model, selections, before.followed_by(fit))
