"""Models: what the trainer trains."""

from ipcae.models.base import Model, Params, join, part
from ipcae.models.fixed_selection import FixedSelection
from ipcae.models.screening import Screening
from ipcae.models.select_then_decode import SelectThenDecode
from ipcae.models.two_phases import RankThenDecode, ScreenThenDecode, model_for

__all__ = [
    "FixedSelection",
    "Model",
    "Params",
    "RankThenDecode",
    "ScreenThenDecode",
    "Screening",
    "SelectThenDecode",
    "join",
    "model_for",
    "part",
]
