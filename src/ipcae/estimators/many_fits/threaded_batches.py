"""Batches of variants that are trained side by side on a CPU, in several threads.

Many runs in a thread share the overhead of a step. Whole batches are therefore assigned to the
threads, if there are enough of them; otherwise, the runs of each are
(:mod:`ipcae.training.threads.side_by_side`). Batches of different rows with the same seeds, such as
the folds of a cross-validation, take turns, a step each, and share their random numbers. The
results are the same.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

import torch

from ipcae.devices import free_bytes
from ipcae.distributed import active
from ipcae.estimators.many_fits.variant_batches import SHARE_OF_MEMORY, memory_of
from ipcae.estimators.one_fit.settings import Settings
from ipcae.estimators.one_fit.table import Table
from ipcae.runs.shared_draws import sharing_draws
from ipcae.training import Phase, Problem
from ipcae.training.builtin_parts import is_builtin
from ipcae.training.progress.callbacks import only_show
from ipcae.training.progress.interrupt import Interrupt
from ipcae.training.threads.round_robin import round_robin
from ipcae.training.threads.thread_counts import useful_threads
from ipcae.training.threads.thread_pool import run_in_threads

if TYPE_CHECKING:
    from ipcae.estimators.many_fits.variants import Variant

Result = TypeVar("Result")


_MOST_TOGETHER = 8  # batches that take turns


@dataclass(frozen=True)
class BatchSchedule:
    """The batches to train in threads, the largest first, and the others.

    ``n_together`` of them are trained at a time, for ``n_threads`` cores.
    """

    n_threads: int
    n_together: int
    threaded: list[int]
    others: list[int]

    @classmethod
    def of(
        cls,
        settings: Settings,
        table: Table,
        problem: Problem,
        variants: Sequence[Variant],
        batches: list[list[int]],
    ) -> BatchSchedule:
        """Decide which batches to train in threads.

        Threads are used if there are at least two batches for each, so that none is idle for long,
        and if steps are long, because only one thread at a time runs Python.
        """
        n_threads = torch.get_num_threads()
        order = list(range(len(batches)))
        alone = cls(1, 1, [], order)
        if n_threads == 1 or len(batches) < 2 * n_threads or not _threadable(settings, problem):
            return alone
        work, sizes = [], []
        for batch in batches:
            n_selected = max(variants[i].n_selected for i in batch)
            needed = memory_of(settings, table, n_selected, n_runs=len(batch))
            n_rows = settings.batch_size_of(len(variants[batch[0]].train))
            work.append(n_rows * needed.best_copy // 4)  # multiply-adds of a step, forward only
            sizes.append(needed.total)
        order.sort(key=lambda number: -work[number])
        if useful_threads(n_threads * min(work), n_threads) < n_threads:
            return alone
        sizes.sort(reverse=True)
        free = free_bytes(settings.device)
        for n_together in (max(n_threads, _with_same_seeds(variants, batches)), n_threads):
            if free is None or sum(sizes[:n_together]) <= SHARE_OF_MEMORY * free:
                # Fewer batches than threads at the end are divided instead.
                n_last = len(order) % n_together
                n_threaded = len(order) - (n_last if n_last < n_threads else 0)
                return cls(n_threads, n_together, order[:n_threaded], order[n_threaded:])
        return alone


def _with_same_seeds(variants: Sequence[Variant], batches: list[list[int]]) -> int:
    """Return how many batches need the same random numbers, at most the largest useful number."""
    kinds = Counter(
        tuple((variants[i].seed, variants[i].n_selected) for i in batch) for batch in batches
    )
    return min(max(kinds.values()), _MOST_TOGETHER)


def _threadable(settings: Settings, problem: Problem) -> bool:
    """Return whether threads may train: no user code, no checkpoint, no other process.

    Rankings stay in the calling thread: scikit-learn sets warning filters, which all threads share.
    """
    return (
        settings.device.type == "cpu"
        and Phase.RANKING not in settings.method.phases
        and settings.checkpoint is None
        and active() is None
        and not problem.rows.streamed
        and only_show(settings.callbacks)
        and all(map(is_builtin, (settings.method, problem.decoder, problem.loss)))
    )


def fit_each(
    fit: Callable[[int], Result], numbers: Sequence[int], n_threads: int, n_together: int
) -> dict[int, Result]:
    """Call a function with every number, in this order, for several of them at a time.

    Their trainings take turns. Ctrl-C, or an error in any of them, ends all after their current
    epoch; the results of numbers that were not begun are left out.

    >>> fit_each(lambda number: number**2, [3, 1, 2], n_threads=2, n_together=3)[3]
    9
    """
    waiting = iter(numbers)
    results: dict[int, Result] = {}
    # Only one thread at a time runs Python: while some wait for that, others compute.
    with round_robin(n_together, 2 * n_threads) as turns, sharing_draws():

        def work(_: int, interrupt: Interrupt) -> None:
            with turns.turn():
                for number in waiting:
                    results[number] = fit(number)
                    if interrupt.requested:
                        return

        run_in_threads(work, n_together)
    return results
