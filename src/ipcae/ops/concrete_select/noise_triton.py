"""Gumbel noise inside a kernel, for node k and feature d in draw n of a run.

Four consecutive nodes share one call of the generator: the counter (d, n · ⌈K/4⌉ + ⌊k/4⌋) gives
four words, of which node k uses word k mod 4. Forward and backward kernels generate the same
numbers from the same counters, so that no noise is stored.
"""

from __future__ import annotations

import triton
import triton.language as tl

from ipcae.ops.fast_math_triton import fast_log2

LOG2_E = tl.constexpr(1.4426950408889634)


@triton.jit
def log2_exponential(word):
    """Return log₂(E / log 2), where E is exponentially distributed: −log E is a Gumbel number.

    Accurate in both tails, as :func:`ipcae.ops.gumbel_from_bits`: with w the distance to the nearer
    end of (0, 1), E / log 2 is −log₂(1 − w), computed as w times a polynomial with an error of
    10⁻⁶, or −log₂ w. The constant log log 2 cancels in the softmax.
    """
    middle = word.to(tl.int32, bitcast=True).to(tl.float32) * 2.0**-32 + 2.0**-33
    w = tl.abs(middle)
    series = w * 1.4291080445217423 - 0.9203266473842602
    series = series * w + 0.7541620816712131
    series = series * w + 0.27055201110983196
    series = series * w + 0.4889452436627703
    series = series * w + 0.7210831390869615
    series = series * w + 1.4426964412585959
    return fast_log2(tl.where(middle > 0, w * series, -fast_log2(w)))


@triton.jit
def unscaled_scores(logits, word):
    """Return log α + g in units of log 2, up to a constant that cancels in the softmax."""
    return logits * LOG2_E - log2_exponential(word)


@triton.jit
def scores(logits, word, inverse_temperature):
    """Return (log α + g) / T in units of log 2, up to a constant that cancels in the softmax."""
    return unscaled_scores(logits, word) * inverse_temperature
