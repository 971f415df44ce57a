"""The interface of models, and the final model of a fit."""

from ipcae.decoders import Params
from ipcae.models.base import Model, join, part
from ipcae.models.fixed_selection import FixedSelection
from ipcae.models.nodes import narrowed_decoder, node_mask

__all__ = ["FixedSelection", "Model", "Params", "join", "narrowed_decoder", "node_mask", "part"]
