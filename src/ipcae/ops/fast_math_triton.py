"""Logarithm and exponential to base 2 of the special function units, products of the tensor cores.

One instruction each where the compiler's own are twenty; subnormal numbers count as zero. The
absolute error of the logarithm is below 2⁻²², the relative error of the exponential below 2⁻²².
"""

from __future__ import annotations

import os

import triton
import triton.language as tl

# The interpreter, which runs kernels on the CPU for tests, knows no machine instructions.
_INTERPRETED = tl.constexpr(os.environ.get("TRITON_INTERPRET") == "1")


@triton.jit
def fast_log2(x):
    """Logarithm to base 2."""
    if _INTERPRETED:
        return tl.log2(x)
    return tl.inline_asm_elementwise(
        "lg2.approx.ftz.f32 $0, $1;", "=f,f", [x], dtype=tl.float32, is_pure=True, pack=1
    )


@triton.jit
def fast_exp2(x):
    """Exponential to base 2."""
    if _INTERPRETED:
        return tl.exp2(x)
    return tl.inline_asm_elementwise(
        "ex2.approx.ftz.f32 $0, $1;", "=f,f", [x], dtype=tl.float32, is_pure=True, pack=1
    )


@triton.jit
def product(a, b, PRECISION: tl.constexpr):
    """Matrix product in the given precision, summed in float32."""
    if PRECISION == "bf16":
        a, b = a.to(tl.bfloat16), b.to(tl.bfloat16)
        if _INTERPRETED:  # which has no product of such numbers
            a, b = a.to(tl.float32), b.to(tl.float32)
        result = tl.dot(a, b)
    else:
        result = tl.dot(a, b, input_precision=PRECISION)
    return result
