"""Train the codes of docs/how-to/indirect-logits.md with direct and indirect logits, ten seeds.

    python benchmarks/codes.py [--seeds 10] [--workers 2] [--out benchmarks/codes.csv]
    python benchmarks/codes.py --draw

The code of the page is executed for both parametrizations, each with the learning rate that is best
for it in the table of docs/how-to/nn.md. A row is one training: the mean squared error × 1000 with
hard codes every 10 steps. ``--draw`` writes docs/images/codes.png.
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
PICTURE = ROOT / "docs" / "images" / "codes.png"
EVERY, N_STEPS = 10, 300
RATES = {"direct": 0.3, "indirect": 0.1}


def train(name: str, seed: int) -> dict[str, object]:
    """Train with the functions of the page."""
    import torch

    torch.set_num_threads(1)
    blocks = re.findall(r"^```python\n(.*?)^```", PAGE.read_text(), flags=re.MULTILINE | re.DOTALL)
    page: dict[str, object] = {}
    exec(blocks[0], page)
    parametrization = page[{"direct": "Direct", "indirect": "Full"}[name]]()
    began = time.perf_counter()
    curve = page["fit_codes"](parametrization, RATES[name], N_STEPS, seed, EVERY)
    return {
        "parametrization": name,
        "learning_rate": RATES[name],
        "seed": seed,
        "seconds": f"{time.perf_counter() - began:.1f}",
        "error": " ".join(f"{1000 * value:.2f}" for value in curve),
    }


def read(path: Path, name: str) -> np.ndarray:
    """Return the curves of a parametrization. Shape: (seeds, steps)."""
    with path.open(newline="") as file:
        rows = [row for row in csv.DictReader(file) if row["parametrization"] == name]
    return np.array([[float(value) for value in row["error"].split()] for row in rows])


def draw(path: Path) -> None:
    """Draw the curves of all seeds and their means."""
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(figsize=(6.4, 3.6), layout="constrained")
    steps = EVERY * np.arange(1, N_STEPS // EVERY + 1)
    for name, color in (("direct", "tab:orange"), ("indirect", "tab:blue")):
        curves = read(path, name)
        axes.plot(steps, curves.T, color=color, alpha=0.25, linewidth=0.8)
        label = f"{name}, learning rate {RATES[name]}"
        axes.plot(steps, curves.mean(0), color=color, linewidth=2, label=label)
        at = {step: curves[:, step // EVERY - 1] for step in (100, 200, 300)}
        print(name, *(f"{step}: {v.mean():.1f} ± {v.std():.1f}" for step, v in at.items()))
    axes.set(xlabel="step", ylabel="mean squared error × 1000", yscale="log")
    axes.set_yticks([30, 50, 100, 200, 400], ["30", "50", "100", "200", "400"])
    axes.minorticks_off()
    axes.legend()
    figure.savefig(PICTURE, dpi=150, metadata={"Software": None})


def main() -> None:
    """Train all seeds, or draw their curves."""
    parser = new_parser(__doc__, "codes.csv")
    parser.add_argument("--seeds", type=int, default=10)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--draw", action="store_true")
    options = parser.parse_args()
    if options.draw:
        draw(Path(options.out))
        return
    jobs = [(name, seed) for seed in range(options.seeds) for name in RATES]
    with ProcessPoolExecutor(options.workers, mp_context=get_context("spawn")) as pool:
        for future in as_completed([pool.submit(train, *job) for job in jobs]):
            row = future.result()
            write(Path(options.out), [row])
            print(*list(row.values())[:4], flush=True)


if __name__ == "__main__":
    sys.exit(main())
