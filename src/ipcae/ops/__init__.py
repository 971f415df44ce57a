"""Numerical operations on tensors. Each has a reference in plain PyTorch.

In reading order: the operations of a model are ``concrete_select`` and ``subset_select`` with noise
(``gumbel``, ``logistic``, ``gaussian``), ``run_linear``, ``norm_activation``, ``dropout``,
``row_losses``, ``gjsd`` and ``hierarchical_prox`` (``hierarchical_prox_triton``).

On the CPU, elementwise functions compute ``each_run_alone``. ``dispatch`` chooses between PyTorch
and the kernels for a GPU, in files that end in ``_triton``, and ``precision`` is that of their
products (``fast_math_triton``). A step on a GPU gathers its rows (``gather_rows_triton``), computes
gradients on a ``side_stream`` or leaves them to the optimizer (``product_gradient``,
``adam_product_triton``, ``adam_triton``), and copies the best states (``copy_runs_triton``).
"""

from ipcae.ops.concrete_select import concrete_select, group_rows, hard_select
from ipcae.ops.concrete_select.slots import concrete_select_slots
from ipcae.ops.dropout import dropout
from ipcae.ops.gaussian import gaussian_cdf, gaussian_from_bits
from ipcae.ops.gjsd import gjsd
from ipcae.ops.gumbel import gumbel_from_bits
from ipcae.ops.hierarchical_prox import grouped, hierarchical_prox, hierarchical_prox_, ungrouped
from ipcae.ops.logistic import logistic_from_bits
from ipcae.ops.norm_activation import norm_activation
from ipcae.ops.precision import PRECISIONS, matrix_precision
from ipcae.ops.row_losses import cross_entropy_rows, losses_and_gradients, squared_error_rows
from ipcae.ops.run_linear import run_linear
from ipcae.ops.subset_select import draw_subsets, inclusion_probabilities, largest_subset

__all__ = [
    "PRECISIONS",
    "concrete_select",
    "concrete_select_slots",
    "cross_entropy_rows",
    "draw_subsets",
    "dropout",
    "gaussian_cdf",
    "gaussian_from_bits",
    "gjsd",
    "group_rows",
    "grouped",
    "gumbel_from_bits",
    "hard_select",
    "hierarchical_prox",
    "hierarchical_prox_",
    "inclusion_probabilities",
    "largest_subset",
    "logistic_from_bits",
    "losses_and_gradients",
    "matrix_precision",
    "norm_activation",
    "run_linear",
    "squared_error_rows",
    "ungrouped",
]
