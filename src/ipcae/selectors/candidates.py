"""A problem with fewer candidates, and its results as those of all features."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import torch

from ipcae.arrays import Integers
from ipcae.constraints import among
from ipcae.models import Params
from ipcae.selection import Selection
from ipcae.training import Choice, Problem


def among_candidates(problem: Problem, candidates: Integers) -> Problem:
    """Return the problem with the candidates as its only inputs; the targets are the same."""
    return replace(
        problem,
        rows=problem.rows.with_columns(candidates),
        validation=problem.validation.with_columns(candidates),
        constraints=among(problem.constraints, candidates),
        columns=candidates,
    )


def without_others(problem: Problem, candidates: Integers) -> Problem:
    """Return the problem with all columns, of which the candidates may be selected."""
    given = problem.constraints
    others = np.setdiff1d(np.arange(problem.n_features), [*candidates, *given.included])
    return replace(problem, constraints=replace(given, excluded=tuple(map(int, others))))


def choice_of_all(choice: Choice, candidates: Integers, n_features: int) -> Choice:
    """Return a choice among the candidates as one among all features."""
    return replace(
        choice,
        params=params_of_all(choice.params, candidates),
        selections=[selection_of_all(one, candidates, n_features) for one in choice.selections],
    )


def params_of_all(params: Params, candidates: Integers) -> Params:
    """Return the tensors of a final model of the candidates as those of one of all features."""
    features = params["buffer:features"]
    columns = torch.from_numpy(candidates).to(features.device)
    return {**params, "buffer:features": columns[features]}


def selection_of_all(selection: Selection, candidates: Integers, n_features: int) -> Selection:
    """Return a selection among candidates as a selection among all features."""
    probability = np.zeros(n_features, dtype=selection.probability.dtype)
    probability[candidates] = selection.probability
    return replace(
        selection,
        chosen=candidates[selection.chosen],
        features=candidates[selection.features],
        probability=probability,
    )
