"""Estimate the peak memory of a fit before it starts.

The estimate adds up the sizes of the tensors that are alive at the peak. It does not include
PyTorch itself, the user's table, or memory cached by the allocator.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING

import torch
from torch import Tensor

from ipcae.constraints import Constraints
from ipcae.devices import free_bytes
from ipcae.errors import InputError, warn
from ipcae.estimators.one_fit.settings import Settings
from ipcae.estimators.one_fit.table import Table, constraints_for
from ipcae.ops.row_losses import LARGEST_FUSED
from ipcae.optional import has_triton
from ipcae.rows import Rows
from ipcae.runs import Stream
from ipcae.selectors import Method, Shape
from ipcae.sources import StreamedRows
from ipcae.tables.selection_size import count_to_select
from ipcae.text import byte_size
from ipcae.training.epochs.captured import STAGED_BYTES, STEPS_AT_ONCE
from ipcae.training.epochs.validation import rows_at_once

if TYPE_CHECKING:
    from ipcae.estimators.base import NeuralSelector

_FLOAT = 4


@dataclass(frozen=True)
class MemoryEstimate:
    """Peak memory of a fit in bytes, by part.

    >>> MemoryEstimate("cpu", 4_000_000, 1_000_000, 2_000_000, 1_000_000, 500_000)
    8.5 MB on cpu: rows 4 MB, parameters 1 MB, optimizer 2 MB, best copy 1 MB, activations 0.5 MB
    """

    device: str
    rows: int
    parameters: int
    optimizer: int
    best_copy: int
    activations: int

    @property
    def total(self) -> int:
        """The sum of all parts, in bytes."""
        return sum(getattr(self, field.name) for field in fields(self)[1:])

    def __repr__(self) -> str:
        names = [field.name for field in fields(self)[1:]]
        parts = [f"{name.replace('_', ' ')} {byte_size(getattr(self, name))}" for name in names]
        return f"{byte_size(self.total)} on {self.device}: {', '.join(parts)}"


@dataclass(frozen=True)
class Sizes:
    """The sizes that determine the memory of a fit; ``itemsize`` is that of the table."""

    shape: Shape
    n_train: int
    n_validation: int
    n_runs: int
    batch_size: int
    itemsize: int
    refit: bool = False

    @classmethod
    def of(cls, settings: Settings, shape: Shape, n_rows: int, itemsize: int) -> Sizes:
        """Return the sizes for these settings and a table with this many rows."""
        n_validation = round(n_rows * (settings.validation_fraction or 0.0))
        n_train = n_rows - n_validation
        return cls(
            shape=shape,
            n_train=max(1, n_train),
            n_validation=n_validation,
            n_runs=settings.n_runs,
            batch_size=settings.batch_size_of(n_train),
            itemsize=itemsize if itemsize == 4 else 8,
            refit=bool(settings.refit and settings.fine_tune_epochs and n_validation),
        )


def estimate(method: Method, sizes: Sizes, device: torch.device) -> MemoryEstimate:
    """Return the peak memory: that of preparing the rows, of ranking or of training."""
    parameters = sizes.n_runs * max(_bytes_of(m.init) for m in method.models(sizes.shape))
    activations = _activations(method, sizes, parameters, device.type == "cpu")
    # Both the initial and the current tensors are alive.
    rest = 2 * parameters, 2 * parameters, parameters, activations
    rows = (sizes.n_train + sizes.n_validation) * sizes.shape.n_features * _FLOAT
    if device.type == "cpu":
        ranking = rows + method.ranking_bytes(
            sizes.n_train + sizes.n_validation, sizes.shape.n_features
        )
        rows = max(rows, _preparing(sizes) - sum(rest), ranking - sum(rest))
    elif sizes.refit:  # training and validation rows, and both together
        rows *= 2
    return MemoryEstimate(str(device), rows, *rest)


def _preparing(sizes: Sizes) -> int:
    """Return the memory to split the table and to scale the rows to float32."""
    width = sizes.shape.n_features
    train = sizes.n_train * width
    taken = (sizes.n_train + sizes.n_validation) * width * sizes.itemsize
    scaled = train * _FLOAT if sizes.itemsize == _FLOAT else train * (sizes.itemsize + _FLOAT)
    # Moments are computed in float64, one block of the table at a time.
    moments = 20 * min(train, 2**22)
    return taken + max(scaled, moments)


def _activations(method: Method, sizes: Sizes, parameters: int, on_cpu: bool) -> int:
    """Return the peak of the activations in sampling, optimizer steps and validation."""
    shape, batch = sizes.shape, min(sizes.batch_size, sizes.n_train)
    n_inputs = shape.n_selected * shape.width
    hidden = sum(getattr(shape.decoder, "hidden", (n_inputs,)))
    decoded = sizes.n_runs * (6 * hidden + 3 * shape.n_outputs + 2 * n_inputs)
    # Rows are padded by a column, gathered by group, and padded to whole draws.
    gathered = 3 * shape.n_units * shape.width if shape.width > 1 else 0
    step = batch * (decoded + shape.n_features + gathered) * _FLOAT
    sampling = method.sampling_bytes(shape, sizes.n_runs, batch, on_cpu)
    if not sampling:
        return step + parameters
    logits = sizes.n_runs * method.n_logits(shape) * _FLOAT
    measured = sizes.n_runs * rows_at_once(sizes.n_validation, shape.n_outputs)
    # Outputs and gradients with the fused kernel; outputs, differences and squares without.
    fused = not on_cpu and has_triton() and shape.n_outputs <= LARGEST_FUSED
    outputs = (2 if fused else 3) * shape.n_outputs
    measuring = measured * (2 * n_inputs + 4 * hidden + outputs) * _FLOAT
    if not on_cpu:  # several batches are staged for CUDA graphs
        batch_bytes = batch * shape.n_features * _FLOAT
        at_once = min(STEPS_AT_ONCE, max(1, STAGED_BYTES // batch_bytes), sizes.n_train // batch)
        return batch_bytes * at_once + sampling + max(step + parameters, measuring)
    return max(step + sampling, step + 2 * logits + parameters, measuring + 9 * logits)


def units_of(
    selector: NeuralSelector, n_features: int, names: Sequence[str] | None
) -> tuple[int, Constraints | None]:
    """Return K, and the constraints if columns are selected in groups.

    The columns have these names, or x0, x1, …
    """
    if selector.feature_groups is None:
        return count_to_select(selector.n_features_to_select, n_features), None
    known = [f"x{column}" for column in range(n_features)] if names is None else list(names)
    if len(known) != n_features:
        raise InputError(
            f"feature_names has {len(known)} names for {n_features} columns: expected one each."
        )
    return constraints_for(selector, [str(name) for name in known])


class _Shapes(Stream):
    """A stream of tensors without values, on the meta device."""

    def normal(self, *shape: int) -> Tensor:
        return torch.empty(1, *shape, device="meta")

    uniform = normal

    def bits(self, *shape: int) -> Tensor:
        return torch.zeros(1, *shape, dtype=torch.int32)


def _bytes_of(init: Callable[[Stream], dict[str, Tensor]]) -> int:
    """Return the size of the tensors of one run."""
    tensors = init(_Shapes([0], device="meta")).values()
    return sum(tensor.numel() * tensor.element_size() for tensor in tensors)


def warn_if_memory_is_short(settings: Settings, table: Table) -> None:
    """Warn if the fit needs more memory than is free."""
    free = free_bytes(settings.device)
    n_rows, n_features, n_outputs = (
        _rows_in_memory(table.rows),
        table.shape[1],
        table.task.n_outputs,
    )
    # A cheap upper bound: for most tables it avoids the slower estimate.
    most = 160 * (n_rows + settings.n_runs * max(n_features, n_rows)) * max(n_features, n_outputs)
    most += settings.n_runs * 2**30
    if free is None or most < free:
        return
    constraints = table.constraints if table.constraints.groups else None
    shape = Shape(settings.decoder, n_features, table.n_selected, n_outputs, constraints)
    sizes = Sizes.of(settings, shape, n_rows, table.rows.inputs.element_size())
    needed = estimate(settings.method, sizes, settings.device)
    if needed.total > free:
        warn(
            f"The fit needs about {byte_size(needed.total)}, but only {byte_size(free)} are free "
            f"({needed!r}). Reduce n_runs, or the size of the embedding: Full(size='auto') limits "
            "P to 128, whereas W grows with the square of the number of features with "
            "Full(size='features')."
        )


def _rows_in_memory(rows: Rows) -> int:
    """Return the number of rows in memory: three windows of a table that is read in parts."""
    if isinstance(rows, StreamedRows):
        return min(len(rows), 3 * rows.source.window_rows)
    return len(rows)
