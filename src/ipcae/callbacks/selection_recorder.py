"""The selection distributions, from the first epoch to the last."""

from __future__ import annotations

import math

import numpy as np
import torch
from numpy.typing import NDArray

from ipcae.errors import InputError
from ipcae.training import EpochReport, Phase


class SelectionRecorder:
    """Keep the K distributions over the D features of one run, now and then.

    They take 2·F·K·D bytes for F frames: 5 MB for 60 frames of 50 among 784 features.

    Parameters
    ----------
    n_frames : int
        How many to keep at most, evenly spread over the epochs; the last epoch comes on top.
    run : int
        Whose distributions; recording ends if this run leaves early.

    Attributes
    ----------
    epochs : list of int
        The recorded epochs, from 0.
    distributions : array of shape (F, K, D), float16
        softmax(log α) of every node at these epochs.

    Examples
    --------
    >>> from ipcae import ReconstructionSelector
    >>> X = np.random.default_rng(0).normal(size=(40, 6))
    >>> recorder = SelectionRecorder(n_frames=4)
    >>> selector = ReconstructionSelector(2, max_epochs=8, callbacks=recorder, random_state=0)
    >>> selector = selector.fit(X)
    >>> recorder.epochs, recorder.distributions.shape
    ([0, 2, 4, 6, 7], (5, 2, 6))
    """

    def __init__(self, n_frames: int = 60, run: int = 0):
        if n_frames < 1 or run < 0:
            raise InputError(
                f"SelectionRecorder(n_frames={n_frames}, run={run}) cannot record: expected at "
                "least one frame, and the number of a run from 0."
            )
        self.n_frames = n_frames
        self.run = run
        self.epochs: list[int] = []
        self._frames: list[NDArray[np.float16]] = []

    @property
    def distributions(self) -> NDArray[np.float16]:
        """All frames as one array, (F, K, D)."""
        if not self._frames:
            raise InputError("Nothing was recorded: fit a selector with callbacks=recorder first.")
        return np.stack(self._frames)

    @torch.no_grad()
    def __call__(self, report: EpochReport) -> None:
        """Record the epoch, if it is its turn."""
        if report.phase != Phase.SELECTING or self.run not in report.runs:
            return
        if report.epoch == 0:
            self.epochs, self._frames = [], []
        stride = math.ceil(report.max_epochs / self.n_frames)
        if report.epoch % stride and not report.last:
            return
        logits_of = getattr(report.model, "logits", None)
        if logits_of is None:
            raise InputError("This method has no distributions over features to record.")
        logits = logits_of(report.params)[report.runs.index(self.run)]
        self.epochs.append(report.epoch)
        self._frames.append(logits.softmax(-1).half().cpu().numpy())
