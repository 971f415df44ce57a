"""Fits that are compared between one process and two: ``python -m tests.distributed.fits OUT``."""

import pickle
import sys
from pathlib import Path

import numpy as np
from torch import nn

from ipcae import (
    ClassificationSelector,
    Concrete,
    Mlp,
    RegressionSelector,
    SelectorCV,
    StochasticGates,
)
from ipcae.cli.together import checked_together
from ipcae.distributed import spread
from ipcae.errors import InputError

_random = np.random.default_rng(7)
X = _random.normal(size=(67, 13)).astype(np.float32)
CLASSES = (X[:, 2] > 0).astype(int) + (X[:, 5] > 0)
NUMBERS = X[:, 3] * 2 + X[:, 6] ** 2
WEIGHTS = _random.uniform(0.0, 2.0, len(X))


def classifier(**settings):
    defaults = {"n_runs": 5, "max_epochs": 6, "method": "ip-cae", "random_state": 3}
    return ClassificationSelector(4, **{**defaults, **settings})


def batch_norm(n_inputs, n_outputs):
    return nn.Sequential(nn.Linear(n_inputs, n_outputs), nn.BatchNorm1d(n_outputs))


# What to spread, and a selector with the arguments of its fit.
FITS = {
    "runs": lambda: ("runs", classifier(early_stopping=2), (X, CLASSES), {}),
    "runs without a seed": lambda: ("runs", classifier(random_state=None), (X, CLASSES), {}),
    "a network of the user": lambda: (
        "runs",
        classifier(decoder=batch_norm, n_runs=2, drop_last=True),
        (X, CLASSES),
        {},
    ),
    "fewer runs than processes": lambda: ("runs", classifier(n_runs=1), (X, CLASSES), {}),
    "screening": lambda: ("runs", classifier(method=StochasticGates()), (X, CLASSES), {}),
    "cross-validation": lambda: (
        "runs",
        SelectorCV(classifier(n_runs=1), n_features_to_select=[1, 4], cv=2),
        (X, CLASSES),
        {},
    ),
    "rows": lambda: ("rows", classifier(n_runs=2), (X, CLASSES), {}),
    "rows with one draw each": lambda: (
        "rows",
        RegressionSelector(
            4,
            method=Concrete(noise_draws="row"),
            decoder=Mlp((17,), dropout=0.3),
            n_runs=2,
            max_epochs=6,
            batch_size=9,
            random_state=3,
        ),
        (X, NUMBERS),
        {"sample_weight": WEIGHTS},
    ),
    "batch norm of rows": lambda: ("rows", classifier(decoder=batch_norm), (X, CLASSES), {}),
}


def result(selector):
    """Return what is compared, as plain values."""
    fitted = getattr(selector, "selector_", selector)
    tensors = {name: tensor.numpy() for name, tensor in fitted.params_.items()}
    return {
        "support": selector.get_support(),
        "losses": fitted.validation_loss_,
        "history": {name: list(values) for name, values in fitted.history_.items()},
        "seeds": fitted.run_seeds_,
        "predictions": selector.predict(X),
        "tensors": tensors,
    }


def fitted(name):
    what, selector, arguments, more = FITS[name]()
    with spread(what):
        try:
            return result(selector.fit(*arguments, **more))
        except InputError as error:
            return str(error)


if __name__ == "__main__":
    folder = Path(sys.argv[1])
    found = {name: fitted(name) for name in FITS}
    with spread("runs") as processes:
        shift = processes.rank  # every process with rows of its own
        try:
            classifier().fit(X + shift, CLASSES)
        except InputError as error:
            found["different rows"] = str(error)
        try:
            with checked_together(processes):
                raise InputError("There is no such table.")
        except (InputError, SystemExit) as error:
            found["wrong input"] = type(error)
        (folder / f"process-{processes.rank}").write_bytes(pickle.dumps(found))
