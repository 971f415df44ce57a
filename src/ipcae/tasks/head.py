"""The last step of an exported network, from decoder outputs to predictions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from numpy.typing import NDArray

from ipcae.arrays import Floats
from ipcae.tables import Scaler


@dataclass(frozen=True, eq=False)
class Head:
    """How the outputs of the decoder are converted to predictions.

    Parameters
    ----------
    name : str
        Name of the prediction in an export.
    n_outputs : int, optional
        The number of outputs to use, the first ones. None uses all.
    activation : "softmax", "sigmoid", "exp", "hurdle" or None
        Converts outputs to probabilities. The prediction is then the most probable class
        ("softmax"), or every label whose probability exceeds one half ("sigmoid").
    factors : array of shape (n_outputs,), optional
        By which the exponentials of the outputs are multiplied ("exp", "hurdle"). The first half of
        those of a hurdle, a, and the second, b, then become (1 − exp(−a)) (1 + b).
    classes : array of shape (n_outputs,), optional
        The class of every output.
    scaler : Scaler, optional
        Its inverse converts outputs to the units of the target.
    squeeze : bool
        Whether predictions have shape (N,) instead of (N, 1).
    restores_columns : bool
        Whether the outputs are the columns of the input.
    """

    name: str
    activation: str | None = None
    classes: NDArray[Any] | None = None
    scaler: Scaler | None = None
    squeeze: bool = False
    restores_columns: bool = False
    n_outputs: int | None = None
    factors: Floats | None = None
