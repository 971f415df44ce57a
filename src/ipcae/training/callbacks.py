"""What a callback learns after every epoch, and how it asks to end."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from ipcae.models import FixedSelection, Model, Params


@dataclass(frozen=True)
class EpochReport:
    """What a callback learns after every epoch.

    ``model`` and ``params`` are the model and the tensors of the runs that trained, at this
    moment: to be looked at before the callback returns, and not to be changed.

    Attributes
    ----------
    epoch, max_epochs : int
        The epoch of this phase, from 0, and how many it has.
    metrics : dict of float
        Means over the runs that trained.
    n_active : int
        How many those are.
    last : bool
        Whether the phase ends with this epoch.
    model : Model
        In the selection, ``report.model.logits(report.params)`` are the scores of every node and
        feature, (R, K, D).
    runs : tuple of int
        The numbers of the runs that trained; the run axis of ``params`` follows them.
    per_run : dict of list of float
        Every metric of each of these runs.
    """

    epoch: int
    max_epochs: int
    metrics: dict[str, float]
    n_active: int
    last: bool = False
    model: Model | None = field(default=None, repr=False)
    params: Params = field(default_factory=dict, repr=False)
    runs: tuple[int, ...] = ()
    per_run: dict[str, list[float]] = field(default_factory=dict, repr=False)

    @property
    def phase(self) -> str:
        """``"selection"``, or ``"fine-tuning"`` once the features are fixed."""
        return "fine-tuning" if isinstance(self.model, FixedSelection) else "selection"


# Any, since a hook of somebody else's may return what it likes; only True means something.
Callback = Callable[[EpochReport], Any]


@contextmanager
def announced(callbacks: Sequence[Callback], work: str) -> Iterator[None]:
    """Tell the callbacks that want to know of some preparation, and how long it took."""
    listeners: list[Any] = [each for each in callbacks if hasattr(each, "preparing")]
    for listener in listeners:
        listener.preparing(work)
    began = time.perf_counter()
    yield
    for listener in listeners:
        listener.prepared(work, time.perf_counter() - began)


def call_all(callbacks: Sequence[Callback], report: EpochReport) -> bool:
    """Call them in turn and return whether one asked to end the phase, by returning True.

    >>> report = EpochReport(epoch=0, max_epochs=5, metrics={}, n_active=1)
    >>> call_all([print, lambda report: report.epoch == 0], report)
    EpochReport(epoch=0, max_epochs=5, metrics={}, n_active=1, last=False, runs=())
    True
    """
    asked = False
    for callback in callbacks:
        answer = callback(report)
        if isinstance(answer, bool | np.bool_) and answer:
            asked, report = True, replace(report, last=True)
    return asked
