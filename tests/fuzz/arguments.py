"""Random arguments of an estimator: quick ones, and occasionally an invalid one."""

from __future__ import annotations

from typing import Any

import numpy as np
from torch import nn

from ipcae import Concrete, Direct, Full, Gjsd, Mlp, Scalar
from ipcae.losses import Huber
from ipcae.selectors import METHODS
from tests.fuzz.dice import Dice

ODD: list[Any] = [None, True, -1, 0, 2.5, "x", "", np.nan, np.inf, [], {}, object(), 10**30, int]


def _plain(n_inputs: int, n_outputs: int) -> nn.Module:
    return nn.Sequential(nn.Linear(n_inputs, 4), nn.Tanh(), nn.Linear(4, n_outputs))


def _with_dropout(n_inputs: int, n_outputs: int) -> nn.Module:
    return nn.Sequential(nn.Linear(n_inputs, 4), nn.Dropout(0.5), nn.Linear(4, n_outputs))


def _with_batch_norm(n_inputs: int, n_outputs: int) -> nn.Module:
    return nn.Sequential(nn.Linear(n_inputs, 4), nn.BatchNorm1d(4), nn.Linear(4, n_outputs))


QUICK_METHODS = [name for name in METHODS if name != "random-forest"]
PARTS = [Concrete(Direct()), Concrete(Full(size=3), regularizer=Gjsd(0.1)), Concrete(Scalar())]

USUAL: dict[str, list[Any]] = {
    "method": ["ip-cae"] * 20 + QUICK_METHODS * 2 + ["random-forest"] + PARTS,
    "n_runs": [1, 1, 2, 3],
    "max_epochs": [1, 2, 3, 5],
    "batch_size": ["auto", 1, 3, 8, 64],
    "learning_rate": [1e-3, 1e-2, 1e-2, 0.0, 1.0, 1e10],
    "schedule": ["constant", "warmup", "cosine", lambda part: 1 - part],
    "weight_decay": [0.0, 0.1],
    "noise_draws": [None, 1, 8, "row"],
    "decoder": [(4,), (3, 3), "linear", Mlp((4,), dropout=0.5), _plain, _with_dropout]
    + [(4,)] * 6
    + [_with_batch_norm],
    "loss": [None] * 16 + ["huber", "squared_error", "cross_entropy", Huber(0.1)],
    "scale": ["auto", "auto", "standard", "common", "minmax", None],
    "fine_tune": [True, False, 1],
    "unique": [True, True, True, False],
    "validation_fraction": [0.2, 0.2, 0.5, None, 0.01, 0.99],
    "early_stopping": [False, True, 1],
    "shuffle": [True, False],
    "drop_last": [False, True],
    "random_state": [0, 1, 2**32 - 1],
    "precision": ["auto", "float32"],
    "categories": ["auto", "auto", "error"],
    "missing": ["error", "impute"],
    "dates": ["ignore", "numbers"],
}


def number_to_select(dice: Dice, n_columns: int) -> Any:
    """Return K: a count or a fraction that is possible, or something odd."""
    usual = [1, max(n_columns // 2, 1), max(n_columns, 1), None, 0.5, 1.0]
    return dice.often(usual, [n_columns + 1, *ODD], 0.05)


def settings(dice: Dice) -> dict[str, Any]:
    """Return arguments; each is given with a probability of one half."""
    chosen: dict[str, Any] = {"max_epochs": 2, "decoder": (4,), "random_state": 0}
    for name, values in USUAL.items():
        if dice.chance(0.5):
            chosen[name] = dice.often(values, ODD, 0.005)
    if chosen["max_epochs"] == 10**30:
        chosen["max_epochs"] = 1
    if chosen["random_state"] is None:  # a seed repeats everything
        chosen["random_state"] = np.random.RandomState(7)
    return chosen


def weights(dice: Dice, n_rows: int) -> Any:
    """Return sample weights, mostly none."""
    if dice.chance(0.8):
        return None
    usual = [np.ones(n_rows), dice.numbers.integers(0, 3, n_rows), dice.numbers.random(n_rows)]
    odd = [np.zeros(n_rows), -np.ones(n_rows), np.full(n_rows, np.nan), np.ones(n_rows + 1), "x"]
    odd += [np.full(n_rows, 1e300), np.full(n_rows, 1e-300), 2.0, np.full(n_rows, 3e38)]
    return dice.often(usual, odd, 0.4)
