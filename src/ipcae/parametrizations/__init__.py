"""Parametrizations of the logits of the selection nodes."""

from ipcae.parametrizations.base import Parametrization
from ipcae.parametrizations.diagonal import Diagonal
from ipcae.parametrizations.direct import Direct
from ipcae.parametrizations.full import Full
from ipcae.parametrizations.mlp import MlpLogits
from ipcae.parametrizations.scalar import Scalar
from ipcae.parametrizations.separate import Separate

__all__ = [
    "Diagonal",
    "Direct",
    "Full",
    "MlpLogits",
    "Parametrization",
    "Scalar",
    "Separate",
]
