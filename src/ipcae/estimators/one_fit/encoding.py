"""Conversion between the user's columns and the encoded columns that a method selects from."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ipcae.arrays import Floats
from ipcae.constraints import Constraints
from ipcae.errors import InputError
from ipcae.selection import Selection
from ipcae.tables import Scaler
from ipcae.tables.encodings.encoded_scaler import EncodedScaler
from ipcae.tables.encodings.encoding import Encoding
from ipcae.tables.encodings.expansion import Expansion
from ipcae.text import listed


def without_left_out(constraints: Constraints, encoding: Encoding | None) -> Constraints:
    """Return constraints that also exclude the columns that are left out."""
    if encoding is None or not encoding.left_out:
        return constraints
    asked = [encoding.names[c] for c in encoding.left_out if c in constraints.included]
    if asked:
        raise InputError(
            f"include names columns that are left out ({listed(asked)}): expected columns of "
            "numbers or categories."
        )
    excluded = np.union1d(constraints.excluded, encoding.left_out).astype(int)
    return replace(constraints, excluded=tuple(excluded.tolist()))


def encoded_constraints(constraints: Constraints, scaler: Scaler | EncodedScaler) -> Constraints:
    """Return the constraints on the columns that a method selects from, given those of the user's.

    The encoded columns of a unit are selected together.
    """
    if not isinstance(scaler, EncodedScaler):
        return constraints
    expansion = scaler.expansion
    columns = [np.flatnonzero(expansion.owner == c).tolist() for c in range(expansion.n_columns)]

    def expanded(given: tuple[int, ...]) -> tuple[int, ...]:
        return tuple(place for column in given for place in columns[column])

    units = [expanded(unit) for unit in constraints.units]
    costs = sorted(
        (unit, cost) for unit, cost in zip(units, constraints.cost_of_units, strict=True) if unit
    )
    return replace(
        constraints,
        n_features=len(expansion),
        included=expanded(constraints.included),
        excluded=expanded(constraints.excluded),
        avoided=expanded(constraints.avoided),
        groups=tuple(unit for unit in units if len(unit) > 1),
        group_names=(),
        at_most=tuple((most, expanded(given)) for most, given in constraints.at_most),
        costs=tuple(float(cost) for _, cost in costs) if constraints.costs else (),
    )


def collapsed_selections(
    selections: list[Selection], scaler: Scaler | EncodedScaler
) -> list[Selection]:
    """Return selections of the user's columns, given those of encoded columns."""
    if not isinstance(scaler, EncodedScaler):
        return selections
    return [_collapsed(selection, scaler.expansion) for selection in selections]


def _collapsed(selection: Selection, expansion: Expansion) -> Selection:
    owner, sizes = expansion.owner, expansion.sizes
    features, place = [], 0
    while place < len(selection.features):
        features.append(owner[selection.features[place]])
        place += sizes[features[-1]]
    probability = np.zeros(expansion.n_columns, dtype=selection.probability.dtype)
    np.maximum.at(probability, owner, selection.probability)
    chosen, columns = owner[selection.chosen], np.array(features, dtype=np.int64)
    return Selection(chosen, columns, probability, selection.measure)


def collapsed_importance(
    importance: Floats, selections: list[Selection], scaler: Scaler | EncodedScaler
) -> Floats:
    """Return the importance of the user's columns, NaN for runs with fewer. Shape: -> (R, K).

    ``importance`` is that of every input of the decoders, the same for the inputs of a column.
    """
    if not isinstance(scaler, EncodedScaler):
        return importance
    expansion = scaler.expansion
    n_selected = max(len(selection.features) for selection in selections)
    own = np.full((len(selections), n_selected), np.nan)
    for run, selection in enumerate(selections):
        first = np.cumsum(expansion.sizes[selection.features]) - expansion.sizes[selection.features]
        own[run, : len(first)] = importance[run, first]
    return own
