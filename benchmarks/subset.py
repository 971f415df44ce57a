"""Measure the subset method: its kernel, and a selection of thousands among a million columns.

    python benchmarks/subset.py --only kernel large [--features 1000000]
        [--out benchmarks/subset.csv]

``kernel`` times a selection layer with the first layer of a decoder (512 units), forward and
backward: K concrete nodes, and masks drawn by the subset method, by the kernel and by plain
PyTorch. ``large`` plants a truth: each of 64 targets is the sum of K / 64 standard normal columns
(with random signs, divided by the square root of their number) and noise of standard deviation 0.3;
all K columns are to be found among D. Rows are generated on the device.
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path

import numpy as np
import torch
from rows import new_parser, parse, write
from torch import Tensor

from ipcae.decoders import Mlp
from ipcae.losses import SquaredError
from ipcae.ops import concrete_select, run_linear
from ipcae.ops.subset_select import NOISES, draw_subsets, reference
from ipcae.rows import Rows
from ipcae.runs import Runs, Stream
from ipcae.schedules import Linear
from ipcae.selectors import Shape, Subset
from ipcae.tasks import Regression
from ipcae.training import EpochReport, Phase, Plan, Problem, train

TESTS = ["tests/ops/test_subset_select.py", "tests/ops/test_subset_select_kernels.py"]
DEVICE = torch.device("cuda" if torch.cuda.is_available() else "cpu")
HIDDEN = 512
# (runs, rows, nodes, features)
SIZES = [(10, 128, 50, 784), (1, 128, 50, 784), (1, 128, 50, 20_000), (1, 128, 1000, 20_000)]
LARGE = (1, 128, 2000, 1_000_000)
N_TARGETS, NOISE = 64, 0.3
DRAWS = {
    "√(K D) to K": Subset(),
    "K": Subset(surplus=None),
    "D to K": Subset(surplus=Linear(1.0, 0.0)),
}


def normal(*shape: int) -> Tensor:
    """Draw standard normal numbers on the device."""
    return torch.randn(*shape, device=DEVICE)


def seconds_of(step) -> float:
    """Return the median time of ten repetitions of a step."""
    times = []
    for repetition in range(13):
        _wait()
        began = time.perf_counter()
        step(repetition)
        _wait()
        times.append(time.perf_counter() - began)
    return float(np.median(times[3:]))


def _wait() -> None:
    if DEVICE.type == "cuda":
        torch.cuda.synchronize()


def concrete_step(size, draws):
    """Return a step of K concrete nodes and the first layer of a decoder."""
    n_runs, n_rows, n_nodes, n_features = size
    logits = normal(n_runs, n_nodes, n_features).requires_grad_()
    weight = normal(n_runs, HIDDEN, n_nodes).requires_grad_()
    rows, upstream = normal(n_rows, n_features), normal(n_runs, n_rows, HIDDEN)

    def step(number: int) -> None:
        stream = Stream(range(n_runs), number, DEVICE)
        values = concrete_select(logits, rows, 1.0, draws=draws, stream=stream)
        torch.autograd.grad(run_linear(values, weight), (logits, weight), upstream)

    return step


def subset_step(size, plain=False):
    """Return a step of one mask per row and the first layer of a decoder."""
    n_runs, n_rows, n_nodes, n_features = size
    theta = normal(n_runs, n_features).requires_grad_()
    weight = normal(n_runs, HIDDEN, n_features).requires_grad_()
    rows, upstream = normal(n_rows, n_features), normal(n_runs, n_rows, HIDDEN)
    counts = torch.full((n_runs,), float(n_nodes), device=DEVICE)

    def step(number: int) -> None:
        stream = Stream(range(n_runs), number, DEVICE)
        if plain:
            noise = NOISES["logistic"](stream.bits(n_rows, n_features))
            masks = reference.draw_subsets(theta, counts, noise)
        else:
            masks = draw_subsets(theta, counts, n_rows, stream)
        torch.autograd.grad(run_linear(rows * masks, weight), (theta, weight), upstream)

    return step


def measure_kernel(out: Path) -> None:
    """Time all selection layers at all sizes."""
    for size in (*SIZES, LARGE) if DEVICE.type == "cuda" else [(1, 16, 5, 100)]:
        steps = {"subset": (subset_step,), "subset, plain": (subset_step, True)}
        if size != LARGE:
            steps["concrete, one draw per row"] = concrete_step, "row"
            steps["concrete, 8 draws"] = concrete_step, 8
        for name, (make, *options) in steps.items():
            if DEVICE.type == "cuda":
                torch.cuda.empty_cache()
                torch.cuda.reset_peak_memory_stats()
            seconds = seconds_of(make(size, *options))
            named = dict(zip(("runs", "rows", "nodes", "features"), size, strict=True))
            record(out, question="kernel", what=name, **named, ms=1000 * seconds)


def planted(n_rows: int, n_features: int, n_selected: int) -> tuple[Tensor, Tensor, Tensor]:
    """Return columns, targets, and the columns that determine the targets."""
    generator = torch.Generator(DEVICE).manual_seed(0)
    options = {"generator": generator, "device": DEVICE}
    truth = torch.randperm(n_features, **options)[:n_selected]
    signs = torch.randint(0, 2, (n_selected,), **options) * 2 - 1.0
    columns = torch.randn(n_rows, n_features, **options)
    own = (columns[:, truth] * signs).view(n_rows, N_TARGETS, -1)
    targets = own.sum(-1) / own.shape[-1] ** 0.5
    return columns, targets + NOISE * torch.randn(n_rows, N_TARGETS, **options), truth


def measure_large(out: Path, options: argparse.Namespace) -> None:
    """Select the planted columns, and report recall, error, time and memory."""
    n_rows, n_features, n_selected = options.rows, options.features, options.selected
    epochs, hidden = options.epochs, tuple(options.hidden)
    columns, targets, truth = planted(n_rows, n_features, n_selected)
    n_train = n_rows * 9 // 10
    rows = Rows(columns[:n_train], targets[:n_train])
    validation = Rows(columns[n_train:], targets[n_train:])
    plan = Plan(max_epochs=epochs, batch_size=128, keep_last=True)
    print("generated", flush=True)
    for name in options.draws:
        method = DRAWS[name]
        problem = Problem(
            Regression(N_TARGETS, False),
            SquaredError(),
            rows,
            validation,
            Runs.of([0], learning_rate=options.rate),
            plan,
            n_selected,
            Mlp(hidden),
            callbacks=(report,),
        )
        if DEVICE.type == "cuda":
            torch.cuda.reset_peak_memory_stats()
        model = method.model(Shape(problem.decoder, n_features, n_selected, N_TARGETS))
        fit = train(model, problem, Phase.SELECTING)
        (selection,) = model.selections(fit.params, unique=True)
        found = np.isin(truth.cpu().numpy(), selection.features).mean()
        steps = epochs * problem.n_batches
        record(
            out,
            question="large",
            what=f"draws of {name}",
            runs=1,
            rows=n_rows,
            hidden=" ".join(map(str, hidden)) or "linear",
            rate=options.rate,
            epochs=epochs,
            nodes=n_selected,
            features=n_features,
            recall=found,
            validation_loss=fit.best_loss[0],
            seconds=fit.seconds,
            ms=1000 * fit.seconds / steps,
        )


def report(epoch: EpochReport) -> None:
    """Print the loss now and then."""
    if epoch.epoch % 5 == 0 or epoch.last:
        shown = {name: round(value, 4) for name, value in epoch.metrics.items()}
        print(epoch.epoch, shown, flush=True)


def record(out: Path, **row: object) -> None:
    """Append a row and print it."""
    if DEVICE.type == "cuda":
        row["peak_gib"] = torch.cuda.max_memory_allocated() / 2**30
    row = {key: f"{v:.4g}" if isinstance(v, float) else v for key, v in row.items()}
    write(out, [row])
    print(*(f"{key}={value}" for key, value in row.items()), flush=True)


def main() -> None:
    """Measure what was asked for."""
    parser = new_parser(__doc__, "subset.csv")
    parser.add_argument("--only", nargs="+", default=["kernel", "large"])
    parser.add_argument("--rows", type=int, default=4000)
    parser.add_argument("--features", type=int, default=1_000_000)
    parser.add_argument("--selected", type=int, default=2048)
    parser.add_argument("--epochs", type=int, default=100)
    parser.add_argument("--hidden", type=int, nargs="*", default=[64])
    parser.add_argument("--rate", type=float, default=1e-3)
    parser.add_argument("--draws", nargs="+", default=list(DRAWS), choices=DRAWS)
    options = parse(parser, TESTS)
    out = Path(options.out)
    if "kernel" in options.only:
        measure_kernel(out)
    if "large" in options.only:
        measure_large(out, options)


if __name__ == "__main__":
    sys.exit(main())
