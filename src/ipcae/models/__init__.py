"""Models: what the trainer trains."""

from ipcae.models.base import Model, Params, join, part
from ipcae.models.fixed_selection import FixedSelection
from ipcae.models.select_then_decode import SelectThenDecode

__all__ = ["FixedSelection", "Model", "Params", "SelectThenDecode", "join", "part"]
