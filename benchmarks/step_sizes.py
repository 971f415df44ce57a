"""Why the indirect parametrization needs many rows: its logits move in larger steps.

    python benchmarks/step_sizes.py [--seeds 4] [--out benchmarks/step_sizes.csv]

Planted problem: ten columns of 5,000 are shifted by 1.5 in the rarer class, K = 10. CAE's logits
are multiplied, and those of IP-CAE divided, so that one step of the optimizer moves them by as much
as with the other. ``found`` is how many of the ten are selected.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from comparison.parts.planted import shifted
from rows import new_parser, parse, write
from torch import Tensor

from ipcae import ClassificationSelector, Concrete, Direct, Full
from ipcae.parametrizations import Parametrization
from ipcae.runs import Stream

N_COLUMNS, SHIFT, K = 5000, 1.5, 10


@dataclass(frozen=True)
class Scaled:
    """Logits that are a multiple of those of another parametrization, with the same start."""

    inner: Parametrization
    factor: float

    def init(self, n_nodes: int, n_features: int, stream: Stream) -> dict[str, Tensor]:
        """Draw the initial tensors; direct logits start where they would without the factor."""
        params = self.inner.init(n_nodes, n_features, stream)
        if not isinstance(self.inner, Direct):
            return params
        return {name: tensor / self.factor for name, tensor in params.items()}

    def logits(self, params: dict[str, Tensor]) -> Tensor:
        """Shape: -> (R, K, D)."""
        return self.factor * self.inner.logits(params)


CASES: dict[str, Parametrization] = {
    "cae": Direct(),
    "cae steps x10": Scaled(Direct(), 10.0),
    "cae steps x100": Scaled(Direct(), 100.0),
    "ip P=4": Full(size=4),
    "ip P=16": Full(size=16),
    "ip P=128": Full(size=128),
    "ip P=128 /10": Scaled(Full(size=128), 1 / 10),
    "ip P=128 /100": Scaled(Full(size=128), 1 / 100),
}


def main() -> None:
    """Run the command line."""
    parser = new_parser(__doc__, "step_sizes.csv")
    parser.add_argument("--seeds", type=int, default=4)
    parser.add_argument("--rows", type=int, nargs="+", default=[100, 800])
    parser.add_argument("--epochs", type=int, default=200)
    options = parse(parser, ["tests/parametrizations"])
    warnings.simplefilter("ignore")
    for n_rows in options.rows:
        for seed in range(options.seeds):
            X, y, planted = shifted(1000 + seed, n_rows, N_COLUMNS, SHIFT)
            truth = [group[0] for group in planted]
            for name, parametrization in CASES.items():
                selector = ClassificationSelector(
                    K,
                    method=Concrete(parametrization),
                    max_epochs=options.epochs,
                    random_state=seed,
                ).fit(X, y)
                row = {
                    "rows": n_rows,
                    "columns": N_COLUMNS,
                    "parametrization": name,
                    "seed": seed,
                    "found": int(np.isin(selector.get_support(indices=True), truth).sum()),
                    "validation_loss": f"{selector.validation_loss_[0]:.3f}",
                }
                print(*row.values(), flush=True)
                write(Path(options.out), [row])


if __name__ == "__main__":
    main()
