"""Start a kernel before the previous one has completely ended.

A step consists of many kernels of a few microseconds, and about half a microsecond passes between
the end of a kernel and the start of the next. With programmatic dependent launch, on GPUs from
Hopper on, a kernel is launched when the programs of the previous one exit, and waits on the device
until their results are visible. :func:`~ipcae.kernel_launch.launch` asks for this where the device
supports it.

Allowing the next kernel to start still earlier, with ``gdc_launch_dependents``, was slower: its
programs occupy multiprocessors while they wait.
"""

from __future__ import annotations

import triton
import triton.language as tl
from triton.language.target_info import cuda_capability_geq


@triton.jit
def wait_for_previous():
    """Wait until all previous kernels have ended. A kernel calls this before it reads or writes."""
    if cuda_capability_geq(9, 0):
        tl.extra.cuda.gdc_wait()
