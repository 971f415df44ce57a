"""The classes that files may contain, all of them defined in ipcae."""

from __future__ import annotations

from dataclasses import is_dataclass
from types import ModuleType
from typing import Any

from ipcae import (
    decoders,
    losses,
    models,
    parametrizations,
    regularizers,
    schedules,
    selectors,
    tasks,
)
from ipcae.constraints import Constraints
from ipcae.evaluation.fdr_selection import FdrSelection
from ipcae.evaluation.row_stability import RowStability
from ipcae.selection import Selection
from ipcae.tables import Scaler
from ipcae.tables.encodings.coding import ColumnCoding
from ipcae.tables.encodings.encoded_scaler import EncodedScaler
from ipcae.tables.encodings.encoding import Encoding
from ipcae.tables.encodings.expansion import Expansion

_MODULES = (decoders, losses, models, parametrizations, regularizers, schedules, selectors, tasks)
# They contain the user's own function, which cannot be stored.
_NEVER = (decoders.CustomDecoder, losses.CustomLoss)


def _parts_of(module: ModuleType) -> list[type]:
    return [
        value
        for name, value in vars(module).items()
        if isinstance(value, type) and is_dataclass(value) and not name.startswith("_")
    ]


PARTS: dict[str, type] = {
    part.__name__: part
    for part in (
        *(part for module in _MODULES for part in _parts_of(module)),
        Constraints,
        Scaler,
        EncodedScaler,
        Encoding,
        ColumnCoding,
        Expansion,
        FdrSelection,
        RowStability,
        Selection,
    )
    if part not in _NEVER
}
"""The classes of the parts of a fitted selector by name, all of them dataclasses."""


def is_part(value: Any) -> bool:
    """Return whether a value is an instance of one of these classes, not of a subclass."""
    return PARTS.get(type(value).__name__) is type(value)
