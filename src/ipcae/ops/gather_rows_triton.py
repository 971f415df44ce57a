"""Copy the rows of the next steps into the buffers that a CUDA graph reads.

The number of the step is in device memory, so that the launch can be captured in the graph.
"""

from __future__ import annotations

from collections.abc import Sequence

import triton
import triton.language as tl
from torch import Tensor

from ipcae.early_start_triton import wait_for_previous
from ipcae.kernel_launch import cdiv, launch, next_power_of_2

_LARGEST_BLOCK = 1024


@triton.jit
def _gather(
    sources,
    targets,
    order,
    step,
    widths,
    n_steps,
    batch_size,
    ORDERED: tl.constexpr,
    BLOCK: tl.constexpr,
):
    """Copy a block of one row of every tensor."""
    wait_for_previous()
    row = tl.program_id(0)
    source = (tl.load(step) % n_steps) * batch_size + row
    if ORDERED:
        source = tl.load(order + source)
    column = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    for i in tl.static_range(len(sources)):
        inside = column < widths[i]
        values = tl.load(sources[i] + source * widths[i] + column, inside)
        tl.store(targets[i] + row.to(tl.int64) * widths[i] + column, values, inside)


def gather_rows(
    sources: Sequence[Tensor],
    targets: Sequence[Tensor],
    order: Tensor | None,
    step: Tensor,
    n_steps: int,
    batch_size: int,
) -> None:
    """Copy rows of every source to its target, which has as many rows as are to be copied.

    They are the rows from the batch of ``step`` on, in this order. ``step`` counts from the first
    epoch; an epoch has ``n_steps`` steps.

    Shape: source (N, ...), target (n, ...), contiguous and of the same type; order (N,) or None;
    step ().
    """
    widths = tuple(source[0].numel() for source in sources)
    block = min(_LARGEST_BLOCK, next_power_of_2(max(widths)))
    launch(
        _gather,
        (len(targets[0]), cdiv(max(widths), block)),
        tuple(sources),
        tuple(targets),
        step if order is None else order,
        step,
        widths,
        n_steps,
        batch_size,
        ORDERED=order is not None,
        BLOCK=block,
    )
