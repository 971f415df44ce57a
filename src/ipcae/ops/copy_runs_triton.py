"""Copy the tensors of some runs in one kernel launch.

Which runs is known only on the device. Runs that are not copied cost neither a read nor a write.
"""

from __future__ import annotations

from collections.abc import Sequence

import triton
import triton.language as tl
from torch import Tensor

from ipcae.early_start_triton import wait_for_previous
from ipcae.kernel_launch import cdiv, launch

_BLOCK = 4096


@triton.jit
def _copy(
    sources,
    targets,
    strides,
    sizes,
    chosen,
    runs,
    n_runs,
    BLOCK: tl.constexpr,
):
    """Copy a block of a tensor. Shape: as :func:`copy_runs`, flattened after the run axis."""
    wait_for_previous()
    program = tl.program_id(0)
    start = 0
    for i in tl.static_range(len(sources)):
        blocks = tl.cdiv(sizes[i], BLOCK)
        if (program >= start) & (program < start + blocks * n_runs):
            position, block = (program - start) // blocks, (program - start) % blocks
            if tl.load(chosen + position):
                index = block * BLOCK + tl.arange(0, BLOCK)
                inside = index < sizes[i]
                values = tl.load(sources[i] + position.to(tl.int64) * strides[i] + index, inside)
                tl.store(targets[i] + tl.load(runs + position) * sizes[i] + index, values, inside)
        start += blocks * n_runs


def copy_runs(
    sources: Sequence[Tensor], targets: Sequence[Tensor], chosen: Tensor, runs: Tensor
) -> None:
    """Copy ``sources[i][a]`` to ``targets[i][runs[a]]`` for every a that is chosen.

    Shape: each source (A, ...), contiguous except for its first axis; its target (R, ...),
    contiguous, of the same type; chosen, booleans, and runs (A,).
    """
    sizes = tuple(target[0].numel() for target in targets)
    launch(
        _copy,
        (len(chosen) * sum(cdiv(size, _BLOCK) for size in sizes),),
        tuple(sources),
        tuple(targets),
        tuple(source.stride(0) for source in sources),
        sizes,
        chosen,
        runs,
        len(chosen),
        BLOCK=_BLOCK,
    )
