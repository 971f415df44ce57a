"""Adam's update of all tensors of all runs in one kernel launch.

The update is bound by memory: it moves seven numbers per parameter. The step count is in device
memory, so that the launch can be captured in a CUDA graph.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

import numpy as np
import torch
import triton
import triton.language as tl
from torch import Tensor

from ipcae.early_start_triton import wait_for_previous
from ipcae.kernel_launch import cdiv, launch
from ipcae.ops.product_gradient import SumGradient
from ipcae.runs import DeviceStep

_BETA_1, _BETA_2, _EPSILON = tl.constexpr(0.9), tl.constexpr(0.999), tl.constexpr(1e-8)
_BLOCK, _SUMMED_BLOCK, _TERMS_AT_ONCE = 1024, 64, tl.constexpr(32)
# From this step on, 1 − 0.999ᵗ is 1 in float32.
_CORRECTED_STEPS = 20_000
LAST_CORRECTION = _CORRECTED_STEPS - 1


@triton.jit
def moved(param, gradient, first, second, size, second_correction, weight_decay):
    """Return a parameter and its two moments after a step; ``size`` is corrected for the bias."""
    gradient = gradient + weight_decay * param
    first = first + (gradient - first) * (1 - _BETA_1)
    second = second * _BETA_2 + gradient * gradient * (1 - _BETA_2)
    change = size * first / (tl.sqrt(second) * second_correction + _EPSILON)
    return param - change, first, second


@triton.jit
def _sum_terms(terms, index, inside, size, N_TERMS: tl.constexpr):
    """Sum the terms of a gradient. Shape: terms (N, size) -> that of ``index``."""
    total = tl.zeros_like(index).to(tl.float32)
    for start in tl.static_range(0, N_TERMS, _TERMS_AT_ONCE):
        row = start + tl.arange(0, _TERMS_AT_ONCE)
        found = (row < N_TERMS)[:, None] & inside[None, :]
        total += tl.sum(tl.load(terms + row[:, None] * size + index[None, :], found, 0.0), 0)
    return total


@triton.jit(do_not_specialize=["offset"])
def _update(
    tensors,
    gradients,
    firsts,
    seconds,
    sizes,
    step_sizes,
    corrections,
    step,
    offset,
    last,
    n_runs,
    weight_decay,
    TERMS: tl.constexpr,
    BLOCKS: tl.constexpr,
):
    """Update a block of a tensor.

    ``TERMS`` are the numbers of terms that are summed to get the gradients, 0 for whole gradients;
    ``BLOCKS`` are the block sizes.

    Shape: every tensor (R, its size), a gradient of terms (R, terms, size); step_sizes (R,);
    corrections (steps, 2).
    """
    wait_for_previous()
    program = tl.program_id(0)
    number = tl.minimum(tl.load(step) + offset, last)
    first_correction = tl.load(corrections + 2 * number)
    second_correction = tl.load(corrections + 2 * number + 1)
    start = 0
    for i in tl.static_range(len(tensors)):
        blocks = tl.cdiv(sizes[i], BLOCKS[i])
        if (program >= start) & (program < start + blocks * n_runs):
            run, block = (program - start) // blocks, (program - start) % blocks
            index = block * BLOCKS[i] + tl.arange(0, BLOCKS[i])
            inside = index < sizes[i]
            before = run.to(tl.int64) * sizes[i]
            if TERMS[i] == 0:
                gradient = tl.load(gradients[i] + before + index, inside)
            else:
                terms = gradients[i] + before * TERMS[i]
                gradient = _sum_terms(terms, index, inside, sizes[i], TERMS[i])
            index = index + before
            param = tl.load(tensors[i] + index, inside)
            first = tl.load(firsts[i] + index, inside, eviction_policy="evict_first")
            second = tl.load(seconds[i] + index, inside, eviction_policy="evict_first")
            size = tl.load(step_sizes + run) * first_correction
            param, first, second = moved(
                param, gradient, first, second, size, second_correction, weight_decay
            )
            tl.store(tensors[i] + index, param, inside)
            tl.store(firsts[i] + index, first, inside, eviction_policy="evict_first")
            tl.store(seconds[i] + index, second, inside, eviction_policy="evict_first")
        start += blocks * n_runs


def adam_update(
    params: Sequence[Tensor],
    gradients: Sequence[Tensor | SumGradient],
    firsts: Sequence[Tensor],
    seconds: Sequence[Tensor],
    step_sizes: Tensor,
    step: DeviceStep,
    weight_decay: float,
) -> None:
    """Update the tensors and their moments in place; ``step`` counts the steps before this one.

    Shape: all tensors (R, ...), contiguous; step_sizes (R,).
    """
    n_runs = len(step_sizes)
    sizes = tuple(tensor.numel() // n_runs for tensor in params)
    terms = tuple(own.terms.shape[1] if isinstance(own, SumGradient) else 0 for own in gradients)
    whole = [own.terms if isinstance(own, SumGradient) else own for own in gradients]
    blocks = tuple(_SUMMED_BLOCK if n_terms else _BLOCK for n_terms in terms)
    programs = n_runs * sum(map(cdiv, sizes, blocks))
    launch(
        _update,
        (programs,),
        tuple(params),
        tuple(gradient.contiguous() for gradient in whole),
        tuple(firsts),
        tuple(seconds),
        sizes,
        step_sizes,
        corrections(step_sizes.device),
        step.base,
        step.offset,
        LAST_CORRECTION,
        n_runs,
        weight_decay,
        TERMS=terms,
        BLOCKS=blocks,
    )


@lru_cache(maxsize=8)
def corrections(device: torch.device) -> Tensor:
    """Return 1 / (1 − β₁ᵗ) and 1 / √(1 − β₂ᵗ) for t = 1, 2, …"""
    t = np.arange(1, _CORRECTED_STEPS + 1, dtype=np.float64)
    columns = [1 / (1 - _BETA_1.value**t), 1 / np.sqrt(1 - _BETA_2.value**t)]
    return torch.from_numpy(np.stack(columns, axis=1).astype(np.float32)).to(device)
