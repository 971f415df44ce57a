"""Which kernels is a training step made of, and how long does each take on a GPU?

    python benchmarks/kernels_gpu.py --splits FOLDER [--out benchmarks/kernels_gpu.csv]

The steps of ``train_gpu.py``'s target are recorded while captured graphs replay them. A row is a
kernel: how often a step starts it, and its microseconds a step. Kernels that run side by side on
two streams count both, so the sum can be longer than the step.
"""

from __future__ import annotations

import csv
import sys
from collections import Counter
from pathlib import Path

import torch
import triton
from rows import commit, read_options
from splits import load_split
from torch.profiler import ProfilerActivity, profile
from train_gpu import TESTS, fit

SETTINGS = [(10, "row", "tf32"), (10, 1, "tf32"), (10, 8, "tf32"), (1, "row", "tf32")]
SETTINGS += [(10, "row", "float32"), (10, 1, "float32"), (10, "row", "bfloat16")]
EPOCHS, STEPS = 6, 6 * 56


def main() -> None:
    """Record all settings."""
    options = read_options(__doc__, "kernels_gpu.csv", TESTS)
    origin = [torch.cuda.get_device_name(), torch.__version__, triton.__version__, commit()]
    split = load_split("mnist", options.splits)
    data = split.X_train, split.y_train, split.X_val, split.y_val
    with Path(options.out).open("w", newline="") as file:
        writer = csv.writer(file)
        header = ["runs", "draws", "precision", "kernel", "a_step", "us_a_step"]
        writer.writerow([*header, "device", "torch", "triton", "commit"])
        for runs, draws, precision in SETTINGS:
            own = {"runs": runs, "draws": draws, "precision": precision, "nodes": 50, "rows": 128}
            fit(*data, **own, embedding=784, epochs=3)
            with profile(activities=[ProfilerActivity.CUDA]) as record:
                fit(*data, **own, embedding=784, epochs=EPOCHS)
            times, counts = Counter(), Counter()
            for event in record.events():
                times[event.name] += event.device_time_total
                counts[event.name] += 1
            for name, time in times.most_common():
                if counts[name] >= STEPS // 2 and time:
                    figures = [f"{counts[name] / STEPS:.2f}", f"{time / STEPS:.2f}"]
                    writer.writerow([runs, draws, precision, name[:60], *figures, *origin])
            file.flush()
            total = sum(times.values()) / STEPS
            print(runs, draws, precision, f"{total:.0f} us of kernels a step", flush=True)


if __name__ == "__main__":
    sys.exit(main())
