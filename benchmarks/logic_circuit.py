"""Train the logic circuit of docs/how-to/indirect-logits.md with direct and indirect logits.

    python benchmarks/logic_circuit.py [--seeds 10] [--workers 2] [--seconds 600]
        [--out benchmarks/logic_circuit.csv]
    python benchmarks/logic_circuit.py --draw [--out benchmarks/logic_circuit.csv]

The code of the page is executed for every parametrization, learning rate and seed. A row is one
training: accuracy of the hard circuit on validation rows every 20 steps, and on test rows at the
end. ``--draw`` writes docs/images/logic-circuit.png: the curves of the learning rate with the best
mean validation accuracy at the end, for both parametrizations.
"""

from __future__ import annotations

import csv
import re
import sys
import time
from concurrent.futures import ProcessPoolExecutor, as_completed
from multiprocessing import get_context
from pathlib import Path

import numpy as np
from rows import ROOT, new_parser, write

PAGE = ROOT / "docs" / "how-to" / "indirect-logits.md"
PICTURE = ROOT / "docs" / "images" / "logic-circuit.png"
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


def read(path: Path) -> dict[tuple[str, float], dict[str, np.ndarray]]:
    """Return the curves (S, T) and test accuracies (S,) of every parametrization and rate."""
    with path.open(newline="") as file:
        rows = list(csv.DictReader(file))
    found: dict[tuple[str, float], dict[str, np.ndarray]] = {}
    for key in dict.fromkeys((r["parametrization"], float(r["learning_rate"])) for r in rows):
        own = [r for r in rows if (r["parametrization"], float(r["learning_rate"])) == key]
        found[key] = {
            "curves": np.array([[float(v) for v in r["validation_accuracy"].split()] for r in own]),
            "test": np.array([float(r["test_accuracy"]) for r in own]),
        }
    return found


def best_rate(found: dict, name: str) -> float:
    """Return the learning rate with the best mean validation accuracy at the end."""
    rates = [rate for own, rate in found if own == name]
    return max(rates, key=lambda rate: found[name, rate]["curves"][:, -1].mean())


def draw(path: Path) -> None:
    """Draw the curves of all seeds, and their means, and print the table of the page."""
    import matplotlib.pyplot as plt

    found = read(path)
    figure, axes = plt.subplots(figsize=(6.4, 3.6), layout="constrained")
    steps = EVERY * np.arange(1, N_STEPS // EVERY + 1)
    for name, color in (("direct", "tab:orange"), ("indirect", "tab:blue")):
        rate = best_rate(found, name)
        curves = 100 * found[name, rate]["curves"]
        axes.plot(steps, curves.T, color=color, alpha=0.25, linewidth=0.8)
        axes.plot(steps, curves.mean(0), color=color, linewidth=2, label=f"{name}, rate {rate:g}")
    axes.set(xlabel="step", ylabel="validation accuracy of the hard circuit (%)", ylim=(0, 100))
    axes.legend(loc="lower right")
    figure.savefig(PICTURE, dpi=150, metadata={"Software": None})
    for (name, rate), own in sorted(found.items()):
        curves, test = 100 * own["curves"], 100 * own["test"]
        early = curves[:, 100 // EVERY - 1].mean()
        values = f"{early:.1f} | {curves[:, -1].mean():.1f} ± {curves[:, -1].std():.1f}"
        print(f"| {name} | {rate:g} | {values} | {test.mean():.1f} ± {test.std():.1f} |")


def main() -> None:
    """Train all circuits, or draw their curves."""
    parser = new_parser(__doc__, "logic_circuit.csv")
    parser.add_argument("--seeds", type=int, default=10)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--seconds", type=float, default=600, help="begin no training after this")
    parser.add_argument("--draw", action="store_true")
    options = parser.parse_args()
    if options.draw:
        draw(Path(options.out))
        return
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
