"""Parametrizations of the logits of the selection nodes."""

from ipcae.parametrizations.base import Parametrization
from ipcae.parametrizations.direct import Direct
from ipcae.parametrizations.elementwise import Diagonal, Scalar
from ipcae.parametrizations.full import Full
from ipcae.parametrizations.mlp import MlpLogits
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
