"""Compare matrix products of MKL and oneDNN on one core, for the shapes of linear layers.

    python benchmarks/products_cpu.py [--out benchmarks/products_cpu.csv]

A row is a linear layer of a step: ``rows`` × ``inputs`` · ``inputs`` × ``outputs``, and the sum of
the times of its three products (the outputs and both gradients), in microseconds of CPU time, the
least of several rounds. ``ours`` are the products that a traced step computes on this machine.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

import torch
from rows import new_parser, parse, write
from torch import Tensor

from ipcae.ops.run_linear.matrix_product import faster_product, onednn_product

LAYERS = [
    *((16, 128, 128), (16, 256, 256), (16, 512, 512), (32, 128, 128), (32, 256, 256)),
    *((32, 10, 512), (32, 512, 10), (64, 256, 256), (64, 512, 512), (128, 10, 256)),
    *((128, 256, 10), (128, 256, 256), (128, 10, 512), (128, 512, 10), (128, 50, 200)),
    *((128, 200, 26), (128, 512, 512), (128, 512, 784), (4500, 512, 512)),
    *((10, 128, 784), (50, 128, 784), (10, 128, 20_000)),
]
ROUNDS = 7
SECONDS = 0.02  # of a round, about
Product = Callable[[Tensor, Tensor], Tensor]
WAYS: dict[str, Callable[[Tensor, Tensor], Product | None]] = {
    "mkl": lambda *_: torch.mm,
    "onednn": lambda *_: onednn_product,
    "ours": faster_product,
}


def microseconds(
    layer: tuple[int, int, int], choose: Callable[[Tensor, Tensor], Product | None]
) -> float:
    """Return the time of the three products of a layer, each computed in the way that is chosen."""
    n_rows, n_inputs, n_outputs = layer
    inputs, weight = torch.randn(n_rows, n_inputs), torch.randn(n_outputs, n_inputs)
    upstream = torch.randn(n_rows, n_outputs)
    pairs = (inputs, weight.t()), (upstream, weight), (upstream.t(), inputs)
    products = [(choose(*pair) or torch.mm, *pair) for pair in pairs]

    def seconds(n_times: int) -> float:
        start = time.process_time()
        for _ in range(n_times):
            for multiply, left, right in products:
                multiply(left, right)
        return (time.process_time() - start) / n_times

    seconds(3)
    n_times = max(1, int(SECONDS / max(seconds(3), 1e-6)))
    return 1e6 * min(seconds(n_times) for _ in range(ROUNDS))


def main() -> None:
    """Run the command line."""
    parser = new_parser(__doc__, "products_cpu.csv")
    options = parse(parser, ["tests/ops/test_matrix_product.py"])
    torch.set_num_threads(1)
    for layer in LAYERS:
        found = {name: f"{microseconds(layer, choose):.1f}" for name, choose in WAYS.items()}
        row = dict(zip(("rows", "inputs", "outputs"), layer, strict=True)) | found
        print(row, flush=True)
        write(Path(options.out), [row])


if __name__ == "__main__":
    main()
