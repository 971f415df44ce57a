"""How much memory a fit will take, before it is begun.

What is counted are the tensors of the engine at the moment when most of them are alive, from their
shapes. PyTorch itself, the user's own table and what the allocator keeps for later come on top.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass, fields
from typing import Any

import torch
from torch import Tensor

from ipcae.models import FixedSelection, Screening, ScreenThenDecode, SelectThenDecode
from ipcae.ops import group_rows
from ipcae.ops.concrete_select import in_parts
from ipcae.ops.row_losses import LARGEST_FUSED
from ipcae.optional import has_triton
from ipcae.runs import Stream
from ipcae.training.captured import STAGED_BYTES, STEPS_AT_ONCE
from ipcae.training.step import rows_at_once

_FLOAT = 4


@dataclass(frozen=True)
class MemoryEstimate:
    """Bytes by part, at the highest point of a fit.

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
        """All parts together, in bytes."""
        return sum(getattr(self, field.name) for field in fields(self)[1:])

    def __repr__(self) -> str:
        names = [field.name for field in fields(self)[1:]]
        parts = [f"{name.replace('_', ' ')} {readable(getattr(self, name))}" for name in names]
        return f"{readable(self.total)} on {self.device}: {', '.join(parts)}"


def readable(n_bytes: int) -> str:
    """Write a number of bytes.

    >>> readable(500_000), readable(123_456_789), readable(4 * 10**11)
    ('0.5 MB', '123 MB', '400 GB')
    """
    unit, size = ("GB", 1e9) if n_bytes >= 1e9 else ("MB", 1e6)
    return f"{n_bytes / size:.3g} {unit}"


@dataclass(frozen=True)
class Sizes:
    """What the memory of a fit depends on; ``itemsize`` is that of a number of the table."""

    n_train: int
    n_validation: int
    n_features: int
    n_runs: int
    batch_size: int
    itemsize: int


def estimate(model: Any, sizes: Sizes, device: torch.device) -> MemoryEstimate:
    """Add up what is alive at the highest point: of preparing the rows, or of training."""
    decoder = FixedSelection(model.decoder, model.n_selected, model.n_outputs)
    parameters = sizes.n_runs * _bytes_of(decoder.init)
    if isinstance(model, SelectThenDecode):
        parameters = sizes.n_runs * _bytes_of(model.init)
    elif isinstance(model, ScreenThenDecode):
        screening = Screening(model.screen, (1.0,) * sizes.n_features, model.n_outputs)
        parameters = max(parameters, sizes.n_runs * _bytes_of(screening.init))
    activations = _activations(model, sizes, parameters, device.type == "cpu")
    # The initial tensors stay beside the current ones.
    rest = 2 * parameters, 2 * parameters, parameters, activations
    rows = (sizes.n_train + sizes.n_validation) * sizes.n_features * _FLOAT
    if device.type == "cpu":
        rows = max(rows, _preparing(sizes) - sum(rest))
    return MemoryEstimate(str(device), rows, *rest)


def _preparing(sizes: Sizes) -> int:
    """Training and validation rows are taken from the table, then scaled to float32."""
    train, width = sizes.n_train * sizes.n_features, sizes.n_features
    taken = (sizes.n_train + sizes.n_validation) * width * sizes.itemsize
    scaled = train * _FLOAT if sizes.itemsize == _FLOAT else train * (sizes.itemsize + _FLOAT)
    # Moments are computed in float64 from parts of the table.
    moments = 20 * min(train, 2**22)
    return taken + max(scaled, moments)


def _activations(model: Any, sizes: Sizes, parameters: int, on_cpu: bool) -> int:
    batch = min(sizes.batch_size, sizes.n_train)
    hidden = sum(getattr(model.decoder, "hidden", (model.n_selected,)))
    decoded = sizes.n_runs * (6 * hidden + 3 * model.n_outputs + 2 * model.n_selected)
    step = batch * (decoded + sizes.n_features) * _FLOAT
    logits = sizes.n_runs * model.n_selected * sizes.n_features * _FLOAT
    if not isinstance(model, SelectThenDecode):
        return step + parameters
    looked_at = sizes.n_runs * rows_at_once(sizes.n_validation, model.n_outputs)
    # Outputs and their gradient, or without a kernel for it: outputs, differences, squares.
    fused = not on_cpu and has_triton() and model.n_outputs <= LARGEST_FUSED
    outputs = 2 if fused else 3
    looking = looked_at * (2 * model.n_selected + 4 * hidden + outputs * model.n_outputs) * _FLOAT
    if not on_cpu:  # the samples are never kept, and some batches are staged
        batch_bytes = batch * sizes.n_features * _FLOAT
        at_once = min(STEPS_AT_ONCE, max(1, STAGED_BYTES // batch_bytes), sizes.n_train // batch)
        staged = batch_bytes * at_once
        return staged + 5 * logits + max(step + parameters, looking)
    draws, _ = group_rows(batch, getattr(model.selector, "noise_draws", 1))
    one = model.n_selected * sizes.n_features
    numbers = draws * one
    drawn = min(numbers, max(in_parts.PART // one, 1) * one)
    if numbers <= in_parts.KEPT:
        kept = sizes.n_runs * numbers * _FLOAT
        drawing = step + 2 * logits + kept + 16 * drawn  # bits and temporaries of a number
        selecting = max(drawing, step + 3 * logits + 2 * kept)
    else:
        selecting = step + 4 * (logits + drawn * _FLOAT)
    updating = step + 2 * logits + parameters
    return max(selecting, updating, looking + 9 * logits)


class _Shapes(Stream):
    """A stream whose numbers have shapes and no values."""

    def normal(self, *shape: int) -> Tensor:
        return torch.empty(1, *shape, device="meta")

    uniform = normal

    def bits(self, *shape: int) -> Tensor:
        return torch.zeros(1, *shape, dtype=torch.int32)


def _bytes_of(init: Callable[[Stream], dict[str, Tensor]]) -> int:
    """Return the size of one run's tensors."""
    tensors = init(_Shapes([0], device="meta")).values()
    return sum(tensor.numel() * tensor.element_size() for tensor in tensors)


def free_bytes(device: torch.device) -> int | None:
    """Return how much memory the device has to spare, None where nobody knows."""
    if device.type == "cuda":
        return int(torch.cuda.mem_get_info(device)[0])
    try:
        with open("/proc/meminfo") as lines:
            known = dict(line.split(":") for line in lines)
        return int(known["MemAvailable"].split()[0]) * 1024
    except (OSError, KeyError, ValueError):
        pass
    try:
        return os.sysconf("SC_AVPHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, OSError, ValueError):
        return None
