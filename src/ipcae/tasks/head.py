"""The last step of an exported network: from the decoder's outputs to the answer."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from numpy.typing import NDArray

from ipcae.tables import Scaler


@dataclass(frozen=True, eq=False)
class Head:
    """How outputs become an answer.

    Parameters
    ----------
    name : str
        The name of the answer in an export.
    activation : "softmax", "sigmoid" or None
        Turns outputs into probabilities. The answer is then the likeliest class ("softmax") or
        every label whose probability exceeds one half ("sigmoid").
    classes : array of shape (n_outputs,), optional
        The labels that outputs stand for.
    scaler : Scaler, optional
        Its inverse maps outputs to the units of the answer.
    squeeze : bool
        Whether the answer is one number per row, shape (N,) instead of (N, 1).
    restores_columns : bool
        Whether the outputs are the columns of the input.
    """

    name: str
    activation: str | None = None
    classes: NDArray[Any] | None = None
    scaler: Scaler | None = None
    squeeze: bool = False
    restores_columns: bool = False
