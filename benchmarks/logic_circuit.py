"""Train the logic circuit of docs/how-to/indirect-logits.md with direct and indirect logits.

    python benchmarks/logic_circuit.py [--seeds 1] [--workers 2] [--seconds 600]
        [--out benchmarks/logic_circuit.csv]

The code of the page is executed for every parametrization, learning rate and seed. A row is one
training: accuracy of the hard circuit on validation rows every 20 steps, and on test rows at the
end.
"""

from __future__ import annotations

import re
import sys
import time
from concurrent.futures import ProcessPoolExecutor, as_completed
from multiprocessing import get_context
from pathlib import Path

from rows import ROOT, new_parser, write

PAGE = ROOT / "docs" / "how-to" / "indirect-logits.md"
EVERY, N_STEPS = 20, 600
RATES = {"direct": (0.1, 0.3, 1.0, 3.0, 10.0), "indirect": (0.003, 0.01, 0.03, 0.1, 0.3)}


def train(name: str, learning_rate: float, seed: int, until: float) -> dict[str, object] | None:
    """Train one circuit with the functions of the page; return None if it is too late."""
    if time.time() > until:
        return None
    import torch

    torch.set_num_threads(1)
    code = re.findall(r"^```python\n(.*?)^```", PAGE.read_text(), flags=re.MULTILINE | re.DOTALL)
    page: dict[str, object] = {}
    for block in code:
        exec(block.partition("\n\n\ncircuit, curve")[0], page)  # only the definitions
    parametrization = page[{"direct": "Direct", "indirect": "Full"}[name]]()
    began = time.perf_counter()
    circuit, curve = page["fit_circuit"](parametrization, learning_rate, N_STEPS, seed, EVERY)
    return {
        "parametrization": name,
        "learning_rate": learning_rate,
        "seed": seed,
        "seconds": f"{time.perf_counter() - began:.1f}",
        "test_accuracy": f"{page['accuracy'](circuit, page['X_test'], page['y_test']):.4f}",
        "validation_accuracy": " ".join(f"{value:.4f}" for value in curve),
    }


def main() -> None:
    """Train all circuits."""
    parser = new_parser(__doc__, "logic_circuit.csv")
    parser.add_argument("--seeds", type=int, default=1)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--seconds", type=float, default=600, help="begin no training after this")
    options = parser.parse_args()
    until = time.time() + options.seconds
    jobs = [
        (name, rate, seed, until)
        for seed in range(options.seeds)
        for name, rates in RATES.items()
        for rate in rates
    ]
    with ProcessPoolExecutor(options.workers, mp_context=get_context("spawn")) as pool:
        for future in as_completed([pool.submit(train, *job) for job in jobs]):
            row = future.result()
            if row is not None:
                write(Path(options.out), [row])
                print(*list(row.values())[:5], flush=True)


if __name__ == "__main__":
    sys.exit(main())
