"""The interface of models, and the final model of a fit."""

from ipcae.models.base import Model, Params, join, part
from ipcae.models.fixed_selection import FixedSelection

__all__ = ["FixedSelection", "Model", "Params", "join", "part"]
