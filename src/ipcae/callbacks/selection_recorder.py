"""A callback that records the selection distributions."""

from __future__ import annotations

import math

import numpy as np
import torch
from numpy.typing import NDArray

from ipcae.errors import InputError
from ipcae.training import EpochReport, Phase


class SelectionRecorder:
    """Record the K distributions over the D features of one run.

    F frames take 2·F·K·D bytes, such as 5 MB for 60 frames of K = 50 and D = 784.

    Parameters
    ----------
    n_frames : int, default=60
        Record at most ``n_frames`` frames, evenly spaced over the epochs, and the last epoch.
    run : int, default=0
        The run to record. Recording ends if this run stops early.

    Attributes
    ----------
    epochs : list of int
        The recorded epochs, starting at 0.
    distributions : array of shape (F, K, D), float16
        softmax(log α) of every node at these epochs.

    See Also
    --------
    ipcae.plots.selection_timelapse : Write recorded distributions to a GIF.
    ipcae.callbacks.EpochReport : What a callback is called with.

    Examples
    --------
    >>> from ipcae import ReconstructionSelector
    >>> X = np.random.default_rng(0).normal(size=(40, 6))
    >>> recorder = SelectionRecorder(n_frames=4)
    >>> settings = {"method": "ip-cae", "max_epochs": 8, "random_state": 0}
    >>> selector = ReconstructionSelector(2, callbacks=recorder, **settings).fit(X)
    >>> recorder.epochs, recorder.distributions.shape
    ([0, 2, 4, 6, 7], (5, 2, 6))
    """

    def __init__(self, n_frames: int = 60, run: int = 0):
        if n_frames < 1 or run < 0:
            raise InputError(
                f"SelectionRecorder(n_frames={n_frames}, run={run}) cannot record: expected "
                "n_frames of at least 1 and run of at least 0."
            )
        self.n_frames = n_frames
        self.run = run
        self.epochs: list[int] = []
        self._frames: list[NDArray[np.float16]] = []

    @property
    def distributions(self) -> NDArray[np.float16]:
        """All frames, of shape (F, K, D)."""
        if not self._frames:
            raise InputError("Nothing was recorded: fit a selector with callbacks=recorder first.")
        return np.stack(self._frames)

    @torch.no_grad()
    def __call__(self, report: EpochReport) -> None:
        """Record the distributions, if this epoch is to be recorded."""
        if report.phase != Phase.SELECTING or self.run not in report.runs:
            return
        if report.epoch == 0:
            self.epochs, self._frames = [], []
        stride = math.ceil(report.max_epochs / self.n_frames)
        if report.epoch % stride and not report.last:
            return
        logits_of = getattr(report.model, "logits", None)
        if logits_of is None:
            raise InputError(
                "This method has no distributions over features to record: use a concrete method, "
                "such as 'ip-cae'."
            )
        logits = logits_of(report.params)[report.runs.index(self.run)]
        self.epochs.append(report.epoch)
        self._frames.append(logits.softmax(-1).half().cpu().numpy())
