"""Search for the fastest tile sizes of the matrix products of a training step on a GPU.

    python benchmarks/products_gpu.py [--out benchmarks/products_gpu.csv]

The nine products of the target of ``train_gpu.py``, each alone in a CUDA graph, in TF32, and the
three of a layer with as many outputs as features, as in a reconstruction. Each product has two
rows: microseconds with the tiles of ``usual_tiles`` and with the fastest tiles of the search. Tiles
are written as rows x columns x inner, warps, stages.
"""

from __future__ import annotations

import math
import statistics
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial
from itertools import product
from pathlib import Path

import torch
import triton
from rows import append, parse_gpu
from torch import Tensor
from triton.runtime.errors import OutOfResources

from ipcae.kernel_launch import compiling
from ipcae.ops.run_linear.product_triton import Tiles, multiply, usual_tiles

ROWS, NODES, HIDDEN, FEATURES = 128, 50, 200, 784
CASES = [(10, 10), (1, 10), (10, FEATURES), (30, FEATURES), (80, FEATURES)]  # runs, outputs
TESTS = ["tests/ops/test_run_linear.py", "tests/ops/test_run_linear_kernels.py"]
SHARED_MEMORY = 200_000
PRECISION = "tf32"


def products(n_runs: int, n_outputs: int) -> dict[str, tuple[Tensor, Tensor, bool]]:
    """Return the factors of every product, and whether it also sums the rows of the left one."""

    def made(*shape: int) -> Tensor:
        return torch.randn(n_runs, *shape, device="cuda")

    embedding, weight = made(NODES, FEATURES), made(FEATURES, FEATURES)
    logits = made(NODES, FEATURES)
    selected, first, hidden = made(ROWS, NODES), made(HIDDEN, NODES), made(ROWS, HIDDEN)
    last, outputs = made(n_outputs, HIDDEN), made(ROWS, n_outputs)
    of_last_layer = {
        "outputs": (hidden, last.mT, False),
        "gradient of the hidden layer": (outputs, last, False),
        "gradient of the last weight": (outputs.mT, hidden, True),
    }
    if n_outputs == FEATURES:
        return of_last_layer
    return of_last_layer | {
        "logits": (embedding, weight.mT, False),
        "hidden layer": (selected, first.mT, False),
        "gradient of what was selected": (hidden, first, False),
        "gradient of the first weight": (hidden.mT, selected, True),
        "gradient of the embedding": (logits, weight, False),
        "gradient of W": (logits.mT, embedding, True),
    }


def candidates(left: Tensor, right: Tensor) -> Iterator[Tiles]:
    """Yield tiles that are not larger than the matrices and fit into shared memory."""
    (n_rows, n_inner), n_columns = left.shape[-2:], right.shape[-1]
    most = [max(16, triton.next_power_of_2(n)) for n in (n_rows, n_columns, n_inner)]
    sides = (16, 32, 64, 128), (16, 32, 64, 128), (16, 32, 64, 128), (1, 2, 4, 8), (1, 3, 4)
    for tiles in map(Tiles._make, product(*sides)):
        fits = all(side <= limit for side, limit in zip(tiles, most, strict=False))
        each = tiles.rows * tiles.columns // tiles.warps
        loaded = 4 * tiles.stages * tiles.inner * (tiles.rows + tiles.columns)
        ahead = tiles.stages == 1 or tiles.stages <= triton.cdiv(n_inner, tiles.inner)
        if fits and ahead and 256 <= each <= 4096 and loaded < SHARED_MEMORY:
            yield tiles


def microseconds(work: Callable[[], object], repeats: int = 20) -> list[float]:
    """Return five timings of some work in a CUDA graph, or infinity if it needs too much memory."""
    try:
        work()
    except OutOfResources:
        return [math.inf]
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        for _ in range(repeats):
            work()
    times = []
    for _ in range(5):
        began, ended = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        began.record()
        graph.replay()
        ended.record()
        ended.synchronize()
        times.append(1e3 * began.elapsed_time(ended) / repeats)
    return times


def main() -> None:
    """Time every product with all tiles."""
    options = parse_gpu(__doc__, "products_gpu.csv", TESTS)
    for n_runs, n_outputs in CASES:
        sizes = {"runs": n_runs, "rows": ROWS, "features": FEATURES, "nodes": NODES}
        sizes |= {"embedding": FEATURES, "outputs": n_outputs, "precision": PRECISION}
        for name, factors in products(n_runs, n_outputs).items():
            for tiles, times in measured(*factors).items():
                append(Path(options.out), name, tiles, sizes, times, "us")


def measured(left: Tensor, right: Tensor, sums: bool) -> dict[str, list[float]]:
    """Return the times of the usual and of the fastest tiles, by name."""

    def work(tiles: Tiles) -> object:
        return multiply(left, right, PRECISION, with_row_sums=sums, tiles=tiles)

    usual = usual_tiles(left, right, PRECISION)
    found = {usual, *candidates(left, right)}
    with suppress(OutOfResources), compiling():
        for tiles in found:
            work(tiles)
    times = {tiles: microseconds(partial(work, tiles)) for tiles in found}
    best = min(times, key=lambda tiles: statistics.median(times[tiles]))
    return {f"usual {_told(usual)}": times[usual], f"fastest {_told(best)}": times[best]}


def _told(tiles: Tiles) -> str:
    return f"{tiles.rows}x{tiles.columns}x{tiles.inner} {tiles.warps} {tiles.stages}"


if __name__ == "__main__":
    sys.exit(main())
