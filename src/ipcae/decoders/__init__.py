"""Decoders, which map the K selected values to the outputs."""

from ipcae.decoders.base import Decoder, Params
from ipcae.decoders.custom import CustomDecoder
from ipcae.decoders.mlp import Mlp, linear_decoder

__all__ = ["CustomDecoder", "Decoder", "Mlp", "Params", "linear_decoder"]
