"""Callbacks: what they receive after every epoch, and how they end a phase."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from ipcae.models import Model, Params
from ipcae.training.phases import Phase


@dataclass(frozen=True)
class EpochReport:
    """What a callback receives after every epoch.

    ``model`` and ``params`` are the model and the current tensors of the runs that trained. They
    are valid until the callback returns and must not be changed.

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
        While selecting with a concrete method, ``report.model.logits(report.params)`` are the
        logits of every node and feature, (R, K, D).
    runs : tuple of int
        The numbers of the runs that trained; the run axis of ``params`` follows them.
    per_run : dict of list of float
        Every metric of each of these runs.
    phase : Phase
        The phase that the epoch belongs to; compares equal to its name, such as "selecting".
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
    phase: Phase = Phase.SELECTING


# Any: hooks of other libraries may return anything; only True has a meaning.
Callback = Callable[[EpochReport], Any]


@contextmanager
def announced(callbacks: Sequence[Callback], work: str) -> Iterator[None]:
    """Tell callbacks that have ``preparing`` and ``prepared`` about work that has no epochs."""
    listeners: list[Any] = [each for each in callbacks if hasattr(each, "preparing")]
    for listener in listeners:
        listener.preparing(work)
    began = time.perf_counter()
    yield
    for listener in listeners:
        listener.prepared(work, time.perf_counter() - began)


def call_all(callbacks: Sequence[Callback], report: EpochReport) -> bool:
    """Call each callback and return whether one of them returned True, to end the phase.

    >>> report = EpochReport(epoch=0, max_epochs=5, metrics={}, n_active=1)
    >>> call_all([lambda report: None, lambda report: report.epoch == 0], report)
    True
    """
    asked = False
    for callback in callbacks:
        answer = callback(report)
        if isinstance(answer, bool | np.bool_) and answer:
            asked, report = True, replace(report, last=True)
    return asked
