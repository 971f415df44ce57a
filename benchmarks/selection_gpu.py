"""Measure the kernels of the selection with one draw of noise per row on a GPU.

    python benchmarks/selection_gpu.py [--out benchmarks/selection_gpu.csv]

Forward and backward pass with TF32, with weights kept for the backward pass and without: the
median time of every kernel over twenty passes, in microseconds.
"""

from __future__ import annotations

import sys
from collections import defaultdict
from pathlib import Path
from unittest.mock import patch

import torch
from rows import append, new_parser, parse
from torch.profiler import ProfilerActivity, profile

from ipcae.ops import concrete_select, matrix_precision
from ipcae.ops.concrete_select import kept_weights
from ipcae.runs import Stream

TESTS = ["tests/ops/test_concrete_select_kernels.py"]
SIZES = [(10, 128, 50, 784), (1, 128, 50, 784), (30, 128, 50, 784), (10, 64, 50, 617)]
KERNELS = "select_rows", "logits_gradient_kept", "logits_gradient_rows", "sum_parts"


def kernel_times(n_runs: int, n_rows: int, n_nodes: int, n_features: int) -> dict[str, list[float]]:
    """Return the times of the kernels in microseconds."""
    device = torch.device("cuda")
    logits = torch.randn(n_runs, n_nodes, n_features, device=device).requires_grad_()
    rows = torch.randn(n_rows, n_features, device=device)
    upstream = torch.randn(n_runs, n_rows, n_nodes, device=device)
    temperature = torch.tensor(0.5, device=device)

    def both_passes() -> None:
        stream = Stream(range(n_runs), 7, device)
        selected = concrete_select(logits, rows, temperature, draws="row", stream=stream)
        torch.autograd.grad(selected, logits, upstream)

    with matrix_precision("tf32"):
        for _ in range(5):
            both_passes()
        with profile(activities=[ProfilerActivity.CUDA]) as record:
            for _ in range(20):
                both_passes()
    times: dict[str, list[float]] = defaultdict(list)
    for event in record.events():
        if event.name in KERNELS:
            times[event.name].append(event.time_range.end - event.time_range.start)
    return times


def main() -> None:
    """Measure all sizes."""
    options = parse(new_parser(__doc__, "selection_gpu.csv"), TESTS)
    for sizes in SIZES:
        for kept, most in (("kept", kept_weights.MOST), ("drawn again", 0)):
            with patch.object(kept_weights, "MOST", most):
                times = kernel_times(*sizes)
            named = dict(zip(("runs", "rows", "nodes", "features"), sizes, strict=True))
            named |= {"draws": "row", "precision": "tf32"}
            for kernel, values in times.items():
                append(Path(options.out), kept, kernel, named, values, "us")


if __name__ == "__main__":
    sys.exit(main())
