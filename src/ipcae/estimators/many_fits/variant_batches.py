"""Group the variants of a fit into batches."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from ipcae.devices import free_bytes
from ipcae.estimators.one_fit.memory import MemoryEstimate, Sizes, estimate
from ipcae.estimators.one_fit.settings import Settings
from ipcae.estimators.one_fit.table import Table
from ipcae.selectors import Shape
from ipcae.training import Phase

if TYPE_CHECKING:
    from ipcae.estimators.many_fits.variants import Variant

SHARE_OF_MEMORY = 0.5
"""The share of the free memory for the batches that are trained at a time."""

_FEWEST_ON_GPU = 20  # with more runs, the time of a step grows with their number (docs/speed.md)
# Multiply-adds that take, forward and backward on a CPU, as long as the overhead of a step.
_WORK_OF_OVERHEAD = 2**25


def batches_of(settings: Settings, table: Table, variants: Sequence[Variant]) -> list[list[int]]:
    """Divide the variants into batches.

    All rows and all nodes of a batch are computed, whether a run uses them or not. On a CPU,
    variants with different rows are therefore trained apart, unless the overhead of more steps
    would take longer than the unused rows. Runs of a method that trains nodes are trained together
    only if their numbers of features differ by at most a factor of two, unless there are too few of
    them to make good use of the device. A batch must fit into the free memory.
    """
    counts = [variant.n_selected for variant in variants]
    on_cpu = settings.device.type == "cpu"

    def by_count(group: list[int]) -> list[list[int]]:
        if Phase.SELECTING not in settings.method.phases:
            return [group]
        return _by_count(group, counts, 1 if on_cpu else _FEWEST_ON_GPU)

    batches = by_count(list(range(len(variants))))
    if on_cpu:
        apart = [part for group in _by_rows(variants) for part in by_count(group)]
        n_runs = len(variants) / len(apart)
        saved = n_runs * _unused_work(settings, table, variants)
        if not settings.method.shares_rows or saved > _WORK_OF_OVERHEAD:
            batches = apart
    return [part for batch in batches for part in _affordable(settings, table, batch, counts)]


def _by_rows(variants: Sequence[Variant]) -> list[list[int]]:
    """Divide the variants by their rows."""
    groups: dict[tuple[bytes, bytes], list[int]] = {}
    for i, variant in enumerate(variants):
        groups.setdefault((variant.train.tobytes(), variant.validate.tobytes()), []).append(i)
    return list(groups.values())


def _unused_work(settings: Settings, table: Table, variants: Sequence[Variant]) -> float:
    """Return the multiply-adds of a step with rows that a run does not use, forward only."""
    own = float(np.mean([len(variant.train) for variant in variants]))
    together = len(np.unique(np.concatenate([variant.train for variant in variants])))
    n_unused = settings.batch_size_of(round(own)) * (together / own - 1)
    n_selected = max(variant.n_selected for variant in variants)
    return n_unused * memory_of(settings, table, n_selected, n_runs=1).best_copy / 4


def _by_count(group: list[int], counts: list[int], fewest: int) -> list[list[int]]:
    """Divide a group of variants by their numbers of features."""
    parts: list[list[int]] = []
    for i in sorted(group, key=lambda i: counts[i]):
        full = parts and len(parts[-1]) >= fewest
        if not parts or (full and counts[i] > 2 * counts[parts[-1][0]]):
            parts.append([])
        parts[-1].append(i)
    return parts


def _affordable(
    settings: Settings, table: Table, group: list[int], counts: list[int]
) -> list[list[int]]:
    """Divide a group of variants into parts of equal size that fit into the free memory."""
    free = free_bytes(settings.device)
    if free is None:
        return [group]
    n_selected = max(counts[i] for i in group)
    needed, fixed = (
        memory_of(settings, table, n_selected, n_runs).total for n_runs in (len(group), 0)
    )
    available = max(SHARE_OF_MEMORY * free - fixed, 1)
    n_parts = min(max(math.ceil((needed - fixed) / available), 1), len(group))
    size = math.ceil(len(group) / n_parts)
    return [group[start : start + size] for start in range(0, len(group), size)]


def memory_of(settings: Settings, table: Table, n_selected: int, n_runs: int) -> MemoryEstimate:
    """Estimate the memory of runs that select as many features of this table."""
    n_rows, n_features = table.rows.inputs.shape
    shape = Shape(settings.decoder, n_features, n_selected, table.task.n_outputs)
    sizes = Sizes.of(settings, shape, n_rows, table.rows.inputs.element_size())
    return estimate(settings.method, replace(sizes, n_runs=n_runs), settings.device)
