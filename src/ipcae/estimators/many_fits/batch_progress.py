"""The progress of several batches, shown as one training."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from threading import Lock
from typing import Any

from ipcae.training import Phase
from ipcae.training.progress.callbacks import EpochReport


@dataclass(frozen=True)
class BatchProgress:
    """How much of every phase is done in every batch; several threads may report it.

    >>> seen = []
    >>> class Shown:
    ...     def advanced(self, work, done, total): ...
    ...     def __call__(self, report): seen.append(f"{report.epoch + 1}/{report.max_epochs}")
    >>> progress = BatchProgress(n_batches=2)
    >>> for number in (1, 0):
    ...     (show,) = progress.callbacks([Shown()], number)
    ...     show(EpochReport(epoch=4, max_epochs=10, metrics={}, n_active=1))
    >>> seen
    ['5/20', '10/20']
    """

    n_batches: int
    _done: dict[Phase, dict[int, float]] = field(default_factory=lambda: defaultdict(dict))
    _lock: Lock = field(default_factory=Lock)

    def callbacks(self, callbacks: Sequence[Any], number: int) -> tuple[Any, ...]:
        """Return the callbacks for one of the batches; those that show progress show that of all.

        Fine-tuning, which is short, is not shown.
        """
        if self.n_batches == 1:
            return tuple(callbacks)
        return tuple(
            _OverAllBatches(each, number, self) if hasattr(each, "advanced") else each
            for each in callbacks
        )

    def show(self, shown: Any, number: int, report: EpochReport) -> None:
        """Show the state after an epoch of a batch."""
        with self._lock:
            done = self._done[report.phase]
            done[number] = 1.0 if report.last else (report.epoch + 1) / report.max_epochs
            total = sum(done.values())
            shown(
                replace(
                    report,
                    epoch=max(round(total * report.max_epochs) - 1, 0),
                    max_epochs=self.n_batches * report.max_epochs,
                    last=report.last and total == self.n_batches,
                )
            )


@dataclass(frozen=True)
class _OverAllBatches:
    """Shows the epochs of one of several batches as a part of all epochs."""

    shown: Any
    number: int
    progress: BatchProgress

    only_shows = True

    def __call__(self, report: EpochReport) -> None:
        if report.phase != Phase.FINE_TUNING:
            self.progress.show(self.shown, self.number, report)
