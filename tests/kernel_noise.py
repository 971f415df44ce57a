"""Write out the noise that the selection kernels generate in registers."""

import torch
import triton
import triton.language as tl

from ipcae.kernel_launch import launch
from ipcae.ops.concrete_select.noise_triton import log2_exponential
from ipcae.runs.bits_triton import four_words

BLOCK = 256
LN_2 = tl.constexpr(0.6931471805599453)
MINUS_LOG_LOG_2 = tl.constexpr(0.36651292058166435)


@triton.jit(do_not_specialize=["offset", "draw"])
def write_noise(out, seeds, step, offset, draw, n_draws, n_nodes, n_features, BLOCK: tl.constexpr):
    feature = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    quad, n_quads = tl.program_id(1), tl.num_programs(1)
    run, number = tl.program_id(2) // n_draws, tl.program_id(2) % n_draws
    words = four_words(seeds, step, offset, draw, run, feature, number * n_quads + quad)
    for i in tl.static_range(4):
        node = quad * 4 + i
        index = (tl.program_id(2).to(tl.int64) * n_nodes + node) * n_features + feature
        inside = (feature < n_features) & (node < n_nodes)
        noise = MINUS_LOG_LOG_2 - log2_exponential(words[i]) * LN_2
        tl.store(out + index, noise, inside)


def read_noise(counter, n_draws, n_nodes, n_features):
    """Return the Gumbel noise of a counter. Shape: -> (R, n, K, D)."""
    n_runs = len(counter.seeds)
    out = torch.empty(n_runs, n_draws, n_nodes, n_features, device=counter.seeds.device)
    grid = (triton.cdiv(n_features, BLOCK), triton.cdiv(n_nodes, 4), n_runs * n_draws)
    sizes = n_draws, n_nodes, n_features
    launch(write_noise, grid, out, *counter.arguments, *sizes, BLOCK=BLOCK)
    return out
