"""Compare the time of an epoch with a plain PyTorch implementation on this CPU.

    python benchmarks/epoch_cpu.py [--rounds 6] [--out benchmarks/epoch_cpu.csv]
    python benchmarks/epoch_cpu.py --cases "one draw per batch"     # beside the plain loop

IP-CAE on ISOLET, classification, K = 50, P = D = 617, batches of 128. The plain loop draws a
B x K x D sample per step and gets its batches from a DataLoader. Ours draws noise once or eight
times per batch and validates after every epoch; it is the start of a training of 200 epochs,
without the first two epochs, which include preparation. All cases are timed in turn for several
rounds, and the ratios of the median times are reported, also for ten runs in a batch and for the
matrix products alone, which are the lower bound. The tests of the measured code run first.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

import numpy as np
import torch
from plain import K, PlainTraining
from rows import new_parser, parse, write
from torch.utils.data import TensorDataset

from ipcae import Concrete, Full, Mlp
from ipcae.losses import CrossEntropy
from ipcae.ops.run_linear.matrix_product import matrix_product
from ipcae.rows import Rows
from ipcae.runs import Runs
from ipcae.selectors import Shape
from ipcae.tasks import Classification
from ipcae.training import EpochReport, Plan, Problem, train
from paper.splits import load_rows

BATCH, EPOCHS = 128, 12
PLAIN = "plain loop, a draw per row"
TESTS = ["tests/ops", "tests/test_batched_equals_alone.py", "tests/training/test_trainer.py"]
TESTS += ["tests/training/epochs/test_traced.py"]


def our_epochs(
    x: torch.Tensor, y: torch.Tensor, draws: int, seeds: list[int]
) -> Callable[[], list[float]]:
    """Return a function that trains for some epochs and returns the seconds of each."""
    selector = Concrete(Full("features"), noise_draws=draws)
    task = Classification(np.arange(int(y.max()) + 1))
    model = selector.model(Shape(Mlp(), x.shape[1], K, task.n_outputs))
    plan = Plan(max_epochs=200, batch_size=BATCH, drop_last=True)
    rows, validation = Rows(x, y), Rows(x[:BATCH], y[:BATCH])

    def epochs() -> list[float]:
        ends = [time.perf_counter()]

        def enough(report: EpochReport) -> bool:
            ends.append(time.perf_counter())
            return report.epoch + 1 == EPOCHS

        train(
            model,
            Problem(
                task,
                CrossEntropy(),
                rows,
                validation,
                Runs.of(seeds),
                plan,
                n_selected=K,
                callbacks=(enough,),
            ),
        )
        return [after - before for before, after in pairwise(ends)][2:]

    return epochs


def products(x: torch.Tensor, n_outputs: int) -> Callable[[], list[float]]:
    """Return a function that times the matrix products of an epoch."""
    batch, n_features, hidden = x[:BATCH], x.shape[1], 200
    embedding, weight = torch.randn(K, n_features), torch.randn(n_features, n_features)
    first, last = torch.randn(hidden, K), torch.randn(n_outputs, hidden)

    def epoch() -> None:
        for _ in range(len(x) // BATCH):
            logits = matrix_product(embedding, weight.T)
            selected = matrix_product(batch, logits.T)
            inner = matrix_product(selected, first.T)
            outputs = matrix_product(inner, last.T)
            matrix_product(outputs.T, inner)
            inner_gradient = matrix_product(outputs, last)
            matrix_product(inner_gradient.T, selected)
            samples_gradient = matrix_product(matrix_product(inner_gradient, first).T, batch)
            matrix_product(samples_gradient, weight)
            matrix_product(samples_gradient.T, embedding)

    return timed(epoch)


def timed(epoch: Callable[[], None]) -> Callable[[], list[float]]:
    """Return a function that runs an epoch and returns its seconds."""

    def one() -> list[float]:
        began = time.perf_counter()
        epoch()
        return [time.perf_counter() - began]

    return one


def main() -> None:
    """Time all cases in turn and append the medians."""
    parser = new_parser(__doc__, "epoch_cpu.csv")
    parser.add_argument("--rounds", type=int, default=6)
    parser.add_argument("--cases", nargs="+", help="only cases with one of these in their name")
    options = parse(parser, TESTS)
    split = load_rows("isolet")
    x, y = torch.from_numpy(split.X_train), torch.from_numpy(split.y_train)
    plain = PlainTraining(TensorDataset(x, y), TensorDataset(x, y), BATCH, "cpu")
    candidates = {
        PLAIN: timed(plain.epoch),
        "ours, one draw per batch": our_epochs(x, y, 1, [0]),
        "ours, eight draws per batch": our_epochs(x, y, 8, [0]),
        "ours, one draw, ten runs in a batch": our_epochs(x, y, 1, list(range(10))),
        "the matrix products of one run alone": products(x, int(y.max()) + 1),
    }
    if options.cases:
        wanted = (PLAIN, *options.cases)
        candidates = {n: c for n, c in candidates.items() if any(part in n for part in wanted)}
    seconds: dict[str, list[float]] = {name: [] for name in candidates}
    for each in range(options.rounds + 1):
        for name, epochs in candidates.items():
            found = epochs()
            if each:  # the first round warms up
                seconds[name] += found
    sizes = {"rows": BATCH, "features": x.shape[1], "nodes": K, "embedding": x.shape[1]}
    report(Path(options.out), seconds, sizes)


def report(out: Path, seconds: dict[str, list[float]], sizes: dict[str, int]) -> None:
    """Append the median, the interquartile range and the speed-up per run of every case."""
    reference = statistics.median(seconds[PLAIN])
    for name, times in seconds.items():
        median = statistics.median(times)
        low, _, high = statistics.quantiles(times, n=4)
        faster = reference / (median / (10 if "ten runs" in name else 1))
        row = {
            "case": name,
            "seconds_per_epoch": f"{median:.4f}",
            "spread": f"{high - low:.4f}",
            "times_faster_per_run": f"{faster:.1f}",
            "threads": torch.get_num_threads(),
        }
        write(out, [row | sizes])
        print(f"{name:45s} {median:8.3f} s   {faster:6.1f} times faster per run")


if __name__ == "__main__":
    main()
