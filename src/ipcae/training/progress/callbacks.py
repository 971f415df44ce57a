"""Callbacks, and the report they receive after every epoch."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from ipcae.arrays import Integers
from ipcae.models import Model, Params
from ipcae.training.phases import Phase


@dataclass(frozen=True)
class EpochReport:
    """The argument of a callback after every epoch.

    Attributes
    ----------
    epoch, max_epochs : int
        The epoch of this phase, starting at 0, and the number of epochs of the phase.
    metrics : dict of str to float
        Metrics, averaged over the active runs.
    n_active : int
        Number of active runs.
    last : bool
        Whether the phase ends with this epoch.
    model : Model
        The model that is trained. While selecting with a concrete method,
        ``report.model.logits(report.params)`` returns the logits, of shape (R, K, D).
    params : dict of str to Tensor
        The current tensors of the active runs. They are valid until the callback returns and must
        not be modified.
    runs : tuple of int
        Indices of the active runs, in the order of the run axis of ``params``.
    per_run : dict of str to list of float
        Metrics of every active run.
    columns : array of int or None
        The features that the model reads, such as those on a shortlist; None for all.
    phase : Phase
        The phase of the epoch; compares equal to its name, such as "selecting".

    See Also
    --------
    ipcae.callbacks.SelectionRecorder : Record the distributions of the nodes.
    ipcae.callbacks.TensorBoardLogger : Log every metric to TensorBoard.

    Examples
    --------
    >>> import numpy as np
    >>> from ipcae import ReconstructionSelector
    >>> def stop_soon(report):
    ...     return report.epoch == 2
    >>> X = np.random.default_rng(0).normal(size=(40, 6))
    >>> settings = {"method": "ip-cae", "max_epochs": 50, "random_state": 0}
    >>> ReconstructionSelector(2, callbacks=stop_soon, **settings).fit(X).run_status_
    ['stopped early']
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
    columns: Integers | None = field(default=None, repr=False)


# Returns Any, because hooks of other libraries may return any value; only True ends the phase.
Callback = Callable[[EpochReport], Any]


@contextmanager
def announced(callbacks: Sequence[Callback], work: str) -> Iterator[None]:
    """Call ``preparing`` and ``prepared`` of callbacks that have them, around other work."""
    listeners: list[Any] = [each for each in callbacks if hasattr(each, "preparing")]
    for listener in listeners:
        listener.preparing(work)
    start = time.perf_counter()
    yield
    for listener in listeners:
        listener.prepared(work, time.perf_counter() - start)


def advance(callbacks: Sequence[Callback], work: str, done: int, total: int) -> None:
    """Call ``advanced`` of callbacks that have it, after a part of work without epochs."""
    for listener in callbacks:
        if hasattr(listener, "advanced"):
            listener.advanced(work, done, total)


def only_show(callbacks: Sequence[Callback]) -> bool:
    """Return whether callbacks only show the progress: they do not need the tensors of all runs."""
    return all(getattr(each, "only_shows", False) for each in callbacks)


def without_progress(callbacks: Sequence[Callback]) -> tuple[Callback, ...]:
    """Return the callbacks that do not show progress, for work whose parts are counted instead."""
    return tuple(each for each in callbacks if not hasattr(each, "advanced"))


def call_all(callbacks: Sequence[Callback], report: EpochReport) -> bool:
    """Call all callbacks and return whether one of them returned True, which ends the phase.

    >>> report = EpochReport(epoch=0, max_epochs=5, metrics={}, n_active=1)
    >>> call_all([lambda report: None, lambda report: report.epoch == 0], report)
    True
    """
    stop = False
    for callback in callbacks:
        result = callback(report)
        if isinstance(result, bool | np.bool_) and result:
            stop, report = True, replace(report, last=True)
    return stop
