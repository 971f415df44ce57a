"""Measure where the time of a training step on one CPU core goes.

    python benchmarks/step_cpu.py [--out benchmarks/step_cpu.csv]

The trainings of ``epoch_cpu.py`` with one run, and one or eight draws of noise per batch. A row has
the CPU time of every part of a traced step in microseconds, as medians: the random bits and the
noise that is made of them, the matrix products, all other operations forward and backward, and
Adam. The rest of ``step``, the time of an epoch divided by its steps, is the batch, the loop and
the validation.
"""

from __future__ import annotations

import statistics
import time
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch
from epoch_cpu import BATCH, TESTS, our_epochs
from rows import new_parser, parse, write

from ipcae.runs import Stream
from ipcae.training.adam import Adam
from ipcae.training.epochs.traced import TracedEpochs, _Draw
from ipcae.training.tracing import flat
from paper.splits import load_rows

PRODUCTS = ("aten::mm", "aten::bmm", "mkldnn::_linear_pointwise")


def timed(function: Callable[..., Any], microseconds: list[float]) -> Callable[..., Any]:
    """Return a function that also appends the CPU time of every call."""

    def call(*args: Any, **kwargs: Any) -> Any:
        start = time.process_time_ns()
        result = function(*args, **kwargs)
        microseconds.append((time.process_time_ns() - start) / 1000)
        return result

    return call


def instrument() -> dict[str, list[float]]:
    """Time the parts of every step from now on."""
    found: dict[str, list[float]] = defaultdict(list)
    shortest, of_step = flat._shortest, []

    def with_products(operation: Any) -> Callable[..., Any]:
        fast = shortest(operation)
        return timed(fast, of_step) if operation._name.startswith(PRODUCTS) else fast

    replay = timed(TracedEpochs._replay, found["operations"])

    def replayed(*args: Any) -> Any:
        of_step.clear()
        result = replay(*args)
        found["products"].append(sum(of_step))
        return result

    flat._shortest = with_products  # type: ignore[assignment]
    TracedEpochs._replay = replayed  # type: ignore[method-assign]
    _Draw.of = timed(_Draw.of, found["noise"])  # type: ignore[method-assign]
    Stream.bits = timed(Stream.bits, found["bits"])  # type: ignore[method-assign]
    Adam.step = timed(Adam.step, found["adam"])  # type: ignore[method-assign]
    TracedEpochs.run = timed(TracedEpochs.run, found["epoch"])  # type: ignore[method-assign]
    return found


def main() -> None:
    """Run the command line."""
    options = parse(new_parser(__doc__, "step_cpu.csv"), TESTS)
    torch.set_num_threads(1)
    split = load_rows("isolet")
    x, y = torch.from_numpy(split.X_train), torch.from_numpy(split.y_train)
    found = instrument()
    for draws in (1, 8):
        epochs = our_epochs(x, y, draws, [0])
        epochs()
        for times in found.values():
            times.clear()
        epochs()
        median = {part: statistics.median(times) for part, times in found.items()}
        parts = {
            "bits": median["bits"],
            "noise": median["noise"] - median["bits"],
            "products": median["products"],
            "other_operations": median["operations"] - median["products"],
            "adam": median["adam"],
            "step": median["epoch"] / (len(x) // BATCH),
        }
        row = {"draws": draws} | {part: f"{value:.0f}" for part, value in parts.items()}
        print(row)
        write(Path(options.out), [row])


if __name__ == "__main__":
    main()
