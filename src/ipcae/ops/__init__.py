"""Tensors in, tensors out: the numerical operations, each with its reference."""

from ipcae.ops.concrete_select import concrete_select, group_rows, hard_select
from ipcae.ops.gumbel import gumbel_from_bits
from ipcae.ops.run_linear import run_linear

__all__ = [
    "concrete_select",
    "group_rows",
    "gumbel_from_bits",
    "hard_select",
    "run_linear",
]
