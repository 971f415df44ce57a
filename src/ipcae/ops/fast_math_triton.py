"""Fast base-2 logarithm and exponential, and matrix products on the tensor cores.

The functions are one instruction of the special function units instead of about twenty; subnormal
numbers are flushed to zero. The absolute error of the logarithm and the relative error of the
exponential are below 2⁻²².
"""

from __future__ import annotations

import os

import triton
import triton.language as tl

# Triton's interpreter, which runs kernels on the CPU in tests, has no inline assembly.
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
        if _INTERPRETED:  # the interpreter cannot multiply bfloat16
            a, b = a.to(tl.float32), b.to(tl.float32)
        result = tl.dot(a, b)
    else:
        result = tl.dot(a, b, input_precision=PRECISION)
    return result
