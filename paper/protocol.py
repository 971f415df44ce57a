"""The experimental protocol: data sets, methods, K, runs and epochs."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

from ipcae.data import CATALOGUE

CLASSIFICATION, RECONSTRUCTION = "classification", "reconstruction"
TASKS = (RECONSTRUCTION, CLASSIFICATION)


def factor(task: str) -> float:
    """Return the factor of displayed values: errors are shown times 1000."""
    return 1.0 if task == CLASSIFICATION else 1000.0


@dataclass(frozen=True)
class Dataset:
    """The title, the number of training rows and the settings of a data set."""

    title: str
    n_train: int
    n_features: int
    n_selected: int
    batch_size: int


def _dataset(name: str, title: str, n_train: int) -> Dataset:
    entry = CATALOGUE[name]
    return Dataset(title, n_train, entry.n_features, entry.n_selected, entry.batch_size)


DATASETS = {
    "mnist": _dataset("mnist", "MNIST", 7200),
    "fashion_mnist": _dataset("fashion_mnist", "Fashion-MNIST", 7200),
    "isolet": _dataset("isolet", "ISOLET", 4990),
    "coil20": _dataset("coil20", "COIL-20", 864),
    "har": _dataset("har", "Smartphone HAR", 5881),
    "mice_protein": _dataset("mice_protein", "Mice Protein", 648),
}
"""The paper's data sets, in the order of its tables."""

PUBLISHED_FAMILY = ("cae", "gjsd", "ip-cae")
CAE_FAMILY = (*PUBLISHED_FAMILY, "ip-cae+gjsd")
RIVALS = ("stg", "lassonet")
CLASSICAL = {
    RECONSTRUCTION: ("pfa", "pivoted-qr", "udfs"),
    CLASSIFICATION: ("anova", "mutual-information", "random-forest", "l1-logistic"),
}

ALL_CLASSICAL = tuple(name for names in CLASSICAL.values() for name in names)
GROUPS = {
    "all": None,
    # Without IP-CAE + GJSD. "none" is the method of the data-sets item.
    "paper": (*PUBLISHED_FAMILY, *RIVALS, *ALL_CLASSICAL, "none"),
    "cae-family": (*CAE_FAMILY, "none"),
    "rivals": RIVALS,
    "classical": ALL_CLASSICAL,
}
"""Groups of methods for ``--methods``."""

TITLES = {
    "stg": "STG",
    "lassonet": "LassoNet",
    "cae": "CAE",
    "gjsd": "CAE + GJSD",
    "ip-cae": "IP-CAE",
    "ip-cae+gjsd": "IP-CAE + GJSD",
    "pfa": "PFA",
    "pivoted-qr": "pivoted QR",
    "udfs": "UDFS",
    "anova": "ANOVA F",
    "mutual-information": "mutual information",
    "random-forest": "random forest",
    "l1-logistic": "L1 logistic regression",
}


@dataclass(frozen=True)
class Protocol:
    """Data sets, number of runs, epochs and the grids of the studies.

    ``exceptions`` maps a data set or a method to settings that override the common ones. ``study``
    is the data set of the ablation studies.
    """

    datasets: tuple[str, ...] = tuple(DATASETS)
    n_runs: int = 10
    epochs: int = 200
    extended_epochs: int = 1000
    gjsd_weights: tuple[float, ...] = (0.0005, 0.005, 0.05)
    noise_draws: int | str = "row"
    family: tuple[str, ...] = CAE_FAMILY
    exceptions: dict[str, dict[str, Any]] = field(default_factory=dict)
    study: str = "isolet"
    selected: tuple[int, ...] = (25, 50, 75, 100, 125)
    # NOTE[DIFF]: the paper does not say which P its figures show.
    embeddings: tuple[int, ...] = (4, 16, 64, 128, 256, 1024)
    hidden_layers: tuple[int, ...] = (0, 1, 2)
    warm_up_epochs: tuple[int, ...] = (25, 50, 75, 100)
    weight_decays: tuple[float, ...] = (1e-4, 1e-3, 1e-2, 1e-1)

    def methods(self, task: str) -> tuple[str, ...]:
        """Return the methods in the main table of a task, those of the paper first."""
        return (*RIVALS, *self.family, *CLASSICAL[task])

    def restricted(
        self, datasets: tuple[str, ...] = (), n_runs: int | None = None, epochs: int | None = None
    ) -> Protocol:
        """Return the protocol with other data sets, runs or epochs."""
        exceptions = {} if epochs else self.exceptions
        return replace(
            self,
            exceptions=exceptions,
            datasets=tuple(name for name in self.datasets if not datasets or name in datasets),
            n_runs=n_runs or self.n_runs,
            epochs=epochs or self.epochs,
        )


PAPER = Protocol()

# NOTE[DIFF]: the quick version has 3 runs, two λ, and 60 epochs for STG and LassoNet; on COIL-20
# also P = 128 and a draw of noise per batch instead of one per row, to finish in minutes on two
# cores. It leaves out IP-CAE + GJSD, for which the paper has no results.
QUICK = Protocol(
    datasets=("coil20", "mice_protein"),
    n_runs=3,
    gjsd_weights=(0.005, 0.05),
    family=PUBLISHED_FAMILY,
    exceptions={
        "coil20": {"noise_draws": 1, "embedding": 128},
        "stg": {"epochs": 60},
        "lassonet": {"epochs": 60},
    },
)
