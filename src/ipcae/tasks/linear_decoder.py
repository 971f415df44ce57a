"""Linear decoders of numbers, computed instead of trained."""

from __future__ import annotations

import numpy as np
import torch
from torch import Tensor

from ipcae.arrays import Floats
from ipcae.ridge import PENALTIES
from ipcae.rows import Rows

_BLOCK = 2**23  # numbers in memory at once
_ROUNDS = 5  # of filling in missing targets


def solved_linear_decoder(rows: Rows) -> tuple[Tensor, Tensor]:
    """Fit a ridge regression to the standardized inputs; leave-one-out sets its penalties.

    Targets that are missing are replaced by their predictions, several times.

    Shape: inputs (N, K), targets (N, O) -> weights (O, K), bias (O,).

    >>> x = torch.tensor([[0.0], [1.0], [2.0]])
    >>> weight, bias = solved_linear_decoder(Rows(x, 3 * x + 1))
    >>> round(weight.item(), 1), round(bias.item(), 1)
    (3.0, 1.0)
    """
    inputs, targets = (part.double().cpu().numpy() for part in (rows.inputs, rows.targets))
    weights = None if rows.weights is None else rows.weights.double().cpu().numpy()
    mean, deviation = inputs.mean(0), inputs.std(0)
    deviation = np.where(deviation > 0, deviation, 1)
    standard, targets = (inputs - mean) / deviation, targets.reshape(len(inputs), -1)
    n_blocks = -(-targets.size // _BLOCK)
    parts = [_solved(standard, part, weights) for part in np.array_split(targets, n_blocks, axis=1)]
    weight, bias = (np.concatenate(each) for each in zip(*parts, strict=True))
    weight = weight / deviation
    return torch.from_numpy(weight), torch.from_numpy(bias - weight @ mean)


def _solved(inputs: Floats, targets: Floats, weights: Floats | None) -> tuple[Floats, Floats]:
    """Return the coefficients and intercepts of standardized inputs. Shape: -> (O, K), (O,)."""
    from sklearn.linear_model import RidgeCV

    missing = np.isnan(targets)
    model = RidgeCV(PENALTIES, alpha_per_target=True)
    filled = np.where(missing, 0, targets)
    model.fit(inputs, filled, weights)
    for _ in range(_ROUNDS if missing.any() else 0):
        filled = np.where(missing, model.predict(inputs).reshape(targets.shape), targets)
        model.fit(inputs, filled, weights)
    return np.atleast_2d(model.coef_), np.atleast_1d(model.intercept_)
