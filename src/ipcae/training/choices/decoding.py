"""Training of new decoders on fixed selections."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ipcae.decoders import Decoder, Mlp, linear_decoder
from ipcae.models import FixedSelection
from ipcae.runs import Stream
from ipcae.selection import Selection
from ipcae.training.choices.adapting import (
    ADDITIVE,
    LINEAR,
    MOST_ROWS,
    PIECEWISE,
    USUAL,
    Adaptation,
    adaptations,
    stacked_matrices,
)
from ipcae.training.choices.choice import Choice, conclude, stacked_features
from ipcae.training.choices.joining import joined_choices
from ipcae.training.choices.pieces import N_STEPS, stacked_pieces
from ipcae.training.choices.solving import as_measured, can_be_solved, solved
from ipcae.training.fit import Fit, untrained
from ipcae.training.phases import Phase
from ipcae.training.problem import Problem
from ipcae.training.states.state import DIVERGED, INTERRUPTED
from ipcae.training.trainer import train


def decode_included(problem: Problem) -> Choice:
    """Train decoders on the included features, if these are all that may be selected."""
    given = problem.constraints
    selection = Selection.of_units(given, given.included_units, np.zeros(len(given.units)))
    return decode(problem, [selection] * len(problem.runs), untrained(len(problem.runs)))


def conclude_or_decode(
    problem: Problem, model: FixedSelection, selections: list[Selection], fit: Fit
) -> Choice:
    """Conclude the training of decoders that were trained together with their selections.

    With ``problem.adaptive`` and many rows, a run in which another kind of decoder predicts better
    gets a new one (:func:`adaptations`); with fewer rows, this was not measured. It is trained for
    half as many epochs as it is fine-tuned, which costs little and is hardly worse than more.

    ``fit`` is the result of the training, with the tensors of ``model``.
    """
    adapts = len(problem.rows) > MOST_ROWS and INTERRUPTED not in fit.status
    adapted = adaptations(problem, selections) if adapts else []
    again = [run for run, each in enumerate(adapted) if each.kind != USUAL]
    if not again:
        return conclude(problem, model, selections, fit)
    n_epochs = problem.fine_tune_epochs // 2 or problem.plan.max_epochs
    plan = replace(problem.plan, max_epochs=min(n_epochs, problem.plan.max_epochs))
    new = decode(
        _part(replace(problem, plan=plan), again, problem.decoder),
        [selections[run] for run in again],
        _of_runs(fit, again),
        model.n_selected,
        [adapted[run] for run in again],
    )
    kept = [run for run in range(len(selections)) if run not in again]
    if not kept:
        return new
    before = _of_runs(fit, kept)
    if INTERRUPTED in new.status:
        status = [each if each == DIVERGED else INTERRUPTED for each in before.status]
        before = replace(before, status=status)
    own = _part(problem, kept, problem.decoder)
    old = conclude(own, model, [selections[run] for run in kept], before)
    return joined_choices([new, old], [again, kept])


def decode(
    problem: Problem,
    selections: list[Selection],
    before: Fit,
    n_inputs: int | None = None,
    adapted: list[Adaptation] | None = None,
) -> Choice:
    """Train a new decoder for every selection, fine-tune it and evaluate it.

    A linear decoder that the task computes (:meth:`Task.linear_solution`) is not trained. With
    ``problem.adaptive``, a run may get another decoder than the usual one (:func:`adaptations`).

    ``before`` is the result of the phase that made the selections. If it was interrupted, the
    decoders are trained for one epoch only.

    The decoders have ``n_inputs`` inputs, by default as many as K units have columns at most.
    ``adapted`` is how they are adapted, if that is known.
    """
    adapted = adaptations(problem, selections) if adapted is None else adapted
    layers = [_layers(problem, each.kind) for each in adapted]
    decoders = list(dict.fromkeys(layers))
    parts = [[run for run, own in enumerate(layers) if own == each] for each in decoders]
    choices = [
        _decode(
            _part(problem, part, decoder),
            [selections[run] for run in part],
            _of_runs(before, part),
            n_inputs,
            [adapted[run] for run in part],
        )
        for part, decoder in zip(parts, decoders, strict=True)
    ]
    return joined_choices(choices, parts)


def _layers(problem: Problem, kind: str) -> Decoder:
    """Return the decoder of a kind."""
    if kind == USUAL:
        return problem.decoder
    linear, usual = linear_decoder(), problem.decoder
    network = problem.task.decoder if usual == linear else usual
    decoder = linear if kind in (LINEAR, ADDITIVE) else network
    if kind not in (PIECEWISE, ADDITIVE):
        return decoder
    assert isinstance(decoder, Mlp)
    return replace(decoder, pieces=N_STEPS)


def _decode(
    problem: Problem,
    selections: list[Selection],
    before: Fit,
    n_inputs: int | None,
    adapted: list[Adaptation],
) -> Choice:
    """Train decoders of one kind of layers."""
    model = problem.final_model
    if n_inputs is not None:
        model = replace(model, n_selected=n_inputs)
    device = problem.rows.inputs.device
    params = model.init(Stream(problem.runs.seeds, device=device))
    params = model.narrowed(params, [len(selection.features) for selection in selections])
    params["buffer:features"] = stacked_features(selections, model.n_selected)[0].to(device)
    matrices = stacked_matrices(adapted, model.n_selected)
    if matrices is not None:
        params["buffer:matrix"] = matrices.to(device)
    pieces = [each.pieces for each in adapted]
    if any(pieces):
        params.update(stacked_pieces(pieces, model.n_selected, device))
    kinds = [each.kind for each in adapted]
    if can_be_solved(problem):
        measured = as_measured(problem)
        fit = train(model, measured, Phase.DECODING, start=solved(problem, params, problem.rows))
        choice = conclude(measured, model, selections, before.followed_by(fit))
        choice = replace(choice, decoders=kinds)
        if not problem.refit:
            return choice
        return replace(choice, params=solved(problem, choice.params, problem.known_rows))
    decoding = problem
    if INTERRUPTED in before.status:
        short = replace(problem.plan, max_epochs=1)
        decoding = replace(problem, plan=short, checkpoint=None)
    fit = train(model, decoding, Phase.DECODING, start=params)
    choice = conclude(problem, model, selections, before.followed_by(fit))
    return replace(choice, params=model.merged(choice.params), decoders=kinds)


def _part(problem: Problem, runs: list[int], decoder: Decoder) -> Problem:
    """Return the problem of some runs, which is not saved unless it is that of all runs."""
    part = problem.of_runs(runs)
    if len(runs) < len(problem.runs):
        part = replace(part, checkpoint=None)
    return replace(part, decoder=decoder)


def _of_runs(fit: Fit, runs: list[int]) -> Fit:
    """Return the result of a phase for some of its runs; its time counts once."""
    return replace(fit.of_runs(runs), seconds=fit.seconds if 0 in runs else 0.0)
