"""Random bits on the GPU: Philox4x32, four words of 32 bits per counter."""

from __future__ import annotations

from typing import TYPE_CHECKING

import triton
import triton.language as tl
from torch import Tensor

from ipcae.early_start_triton import wait_for_previous
from ipcae.kernel_launch import cdiv, launch

if TYPE_CHECKING:
    from ipcae.runs.philox_counter import PhiloxCounter

_BLOCK = 256
# The smallest number of rounds that passes BigCrush (Salmon et al., 2011).
ROUNDS = tl.constexpr(7)


@triton.jit
def four_words(seeds, step, offset, draw, run, c0, c1):
    """Return four words of 32 random bits for every counter (c0, c1) of a draw."""
    seed = tl.load(seeds + run)
    number = (tl.load(step) + offset).to(tl.int32)
    zero = tl.zeros_like(c0)
    return tl.philox(seed, c0, c1 + zero, draw + zero, number + zero, ROUNDS)


@triton.jit(do_not_specialize=["offset", "draw"])
def _fill(out, seeds, step, offset, draw, size, BLOCK: tl.constexpr):
    wait_for_previous()
    run = tl.program_id(1)
    quad = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    words = four_words(seeds, step, offset, draw, run, quad, 0)
    index = quad.to(tl.int64) * 4
    for word in tl.static_range(4):
        bits = words[word].to(tl.int32, bitcast=True)
        tl.store(out + run.to(tl.int64) * size + index + word, bits, index + word < size)


def fill_bits(out: Tensor, counter: PhiloxCounter) -> None:
    """Fill a tensor with random bits. Shape: out (R, N), int32."""
    size = out.shape[1]
    if size == 0:
        return
    grid = (cdiv(cdiv(size, 4), _BLOCK), len(out))
    launch(_fill, grid, out, *counter.arguments, size, BLOCK=_BLOCK)
