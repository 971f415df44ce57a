"""A cell: one configuration, whose runs are trained together, and the key of its results."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from ipcae import Concrete, Diagonal, Direct, Full, Gjsd, Mlp, Scalar, Warmup, paper_settings
from paper.protocol import CAE_FAMILY, CLASSIFICATION, DATASETS, Protocol

PARAMETRIZATIONS = {"diagonal": Diagonal(), "scalar": Scalar()}


@dataclass(frozen=True)
class Cell:
    """A data set, a task and a method with its settings; all runs are trained as one batch.

    With several ``gjsd_weights`` there are ``n_runs`` runs for each, all in one batch. Items with
    equal cells share the results.

    >>> Cell("isolet", "classification", "ip-cae", k=50, epochs=200, n_runs=10).setting
    'k=50 epochs=200'
    """

    dataset: str
    task: str
    method: str
    k: int
    epochs: int
    n_runs: int
    gjsd_weights: tuple[float, ...] = ()
    embedding: int | None = None
    weight: str = "full"
    hidden_layers: int = 1
    warm_up_epochs: int = 0
    weight_decay: float = 0.0
    noise_draws: int | str = "row"
    study: str = "selection"

    @property
    def setting(self) -> str:
        """The settings that differ from the defaults, as text."""
        parts = [f"k={self.k}", f"epochs={self.epochs}"]
        default = Cell("", "", "", 0, 0, 0)
        names = ("embedding", "weight", "hidden_layers", "warm_up_epochs", "weight_decay")
        own = {name: getattr(self, name) for name in (*names, "noise_draws", "study")}
        parts += [f"{name}={own[name]}" for name in own if own[name] != getattr(default, name)]
        return " ".join(parts)

    @property
    def settings(self) -> tuple[str, ...]:
        """The setting of every weight of the grid."""
        grid = [f"{self.setting} lambda={weight:g}" for weight in self.gjsd_weights]
        return tuple(grid) or (self.setting,)

    @property
    def n_batch(self) -> int:
        """The number of runs that train together, R."""
        return self.n_runs * len(self.settings)

    def key(self, setting: str | None = None) -> tuple[str, str, str, str]:
        """Return the key of its results, or of the results of one setting of the grid."""
        return self.dataset, self.task, self.method, setting or self.setting

    @property
    def metric(self) -> str:
        """The metric that the paper reports: accuracy in percent, or ‖x − x̂‖₂ / D."""
        return "accuracy" if self.task == CLASSIFICATION else "error"

    def arguments(self) -> dict[str, Any]:
        """Return the arguments of the selector."""
        if self.study == "sizes":
            return {}
        batch_size = DATASETS[self.dataset].batch_size
        if self.method not in CAE_FAMILY:
            return paper_settings(self.method, batch_size=batch_size) | {"max_epochs": self.epochs}
        arguments = paper_settings(batch_size=batch_size)
        each = tuple(weight for weight in self.gjsd_weights for _ in range(self.n_runs))
        arguments |= {
            "method": Concrete(self._parametrization(), regularizer=Gjsd(each) if each else None),
            "max_epochs": self.epochs,
            "noise_draws": self.noise_draws,
            "decoder": replace(Mlp(), hidden=(200,) * self.hidden_layers),
            "weight_decay": self.weight_decay,
        }
        if self.warm_up_epochs:
            fraction = self.warm_up_epochs / self.epochs
            arguments["schedule"] = Warmup(fraction=fraction, start=1e-3)
        return arguments

    def _parametrization(self) -> Any:
        if not self.method.startswith("ip-cae"):
            return Direct()
        return PARAMETRIZATIONS.get(self.weight) or Full(size=self.embedding or "features")


def cell(protocol: Protocol, dataset: str, task: str, method: str, **settings: Any) -> Cell:
    """Return the cell of a method with the protocol's settings, overridden by ``settings``."""
    common = {
        "k": DATASETS[dataset].n_selected,
        "epochs": protocol.epochs,
        "n_runs": protocol.n_runs,
        "noise_draws": protocol.noise_draws,
        "gjsd_weights": protocol.gjsd_weights,
    }
    exceptions = protocol.exceptions
    chosen = common | exceptions.get(dataset, {}) | exceptions.get(method, {}) | settings
    if method not in CAE_FAMILY:
        chosen.pop("noise_draws")
    if not method.startswith("ip-cae"):
        chosen.pop("embedding", None)
    if not method.endswith("gjsd"):
        chosen.pop("gjsd_weights")
    return Cell(dataset, task, method, **chosen)
