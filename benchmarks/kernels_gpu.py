"""Measure the time of every kernel of a training step on a GPU.

    python benchmarks/kernels_gpu.py --splits FOLDER [--out benchmarks/kernels_gpu.csv]

The steps of the target of ``train_gpu.py`` are profiled three times while CUDA graphs replay them.
Each kernel has two rows: microseconds per step and launches per step. Kernels that overlap on two
streams both count, so their sum can exceed the time of the step. The step has its own row: the
time between two updates of the parameters inside a graph.
"""

from __future__ import annotations

import sys
from collections import Counter
from pathlib import Path

import numpy as np
import torch
from rows import append, parse_gpu
from torch.profiler import ProfilerActivity, profile
from train_gpu import SIZES, TESTS, fit, own_settings, training_data

from paper.splits import load_rows

SETTINGS = [(10, "row", "tf32"), (10, 1, "tf32"), (10, 8, "tf32"), (1, "row", "tf32")]
SETTINGS += [(10, "row", "float32"), (10, 1, "float32"), (10, "row", "bfloat16")]
EPOCHS, STEPS = 6, 6 * 56


def recorded(*data, **settings) -> tuple[Counter, Counter, float]:
    """Train for some epochs; return time and launches of every kernel, and the time of a step."""
    with profile(activities=[ProfilerActivity.CUDA]) as record:
        fit(*data, **settings, epochs=EPOCHS)
    times, counts, updates = Counter(), Counter(), []
    for event in record.events():
        if event.device_type == torch.autograd.DeviceType.CUDA:
            times[event.name[:60]] += event.device_time_total
            counts[event.name[:60]] += 1
            if event.name == "_update":
                updates.append(event.time_range.start)
    return times, counts, float(np.median(np.diff(sorted(updates))))


def main() -> None:
    """Profile all settings."""
    options = parse_gpu(__doc__, "kernels_gpu.csv", TESTS)
    out = Path(options.out)
    split = load_rows("mnist", options.splits)
    data = training_data(split)
    for runs, draws, precision in SETTINGS:
        sizes = {"runs": runs, **SIZES, "draws": draws, "precision": precision}
        sizes["validation"] = len(split.X_val)
        own = own_settings(sizes)
        fit(*data, **own, epochs=3)
        records = [recorded(*data, **own) for _ in range(3)]
        append(out, "step", "ipcae", sizes, [step for *_, step in records], "us")
        for name, _ in records[0][0].most_common():
            if records[0][1][name] >= STEPS // 2:  # those of a step, not of an epoch
                times, counts = ([each[i][name] / STEPS for each in records] for i in (0, 1))
                append(out, "kernel", name, sizes, times, "us/step")
                append(out, "launches", name, sizes, counts, "1/step")


if __name__ == "__main__":
    sys.exit(main())
