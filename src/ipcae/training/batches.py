"""The batches of an epoch."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import torch
from torch import Tensor

from ipcae.rows import Rows
from ipcae.runs import ROW_ORDER, Stream
from ipcae.sources import StreamedRows
from ipcae.training.plan import Plan


def whole_batches(rows: Rows, plan: Plan) -> Rows:
    """Drop the last incomplete batch with ``drop_last``, unless it is the only one."""
    if not plan.drop_last or len(rows) < plan.batch_size:
        return rows
    return rows.take(slice(len(rows) // plan.batch_size * plan.batch_size))


def count_batches(n_rows: int, plan: Plan) -> int:
    """Return the number of batches per epoch.

    >>> count_batches(10, Plan(batch_size=4)), count_batches(10, Plan(batch_size=4, drop_last=True))
    (3, 2)
    >>> count_batches(10, Plan(batch_size=4, rows_per_epoch=6))
    2
    """
    n_rows = min(n_rows, plan.rows_per_epoch or n_rows)
    return max(n_rows // plan.batch_size, 1) if plan.drop_last else -(-n_rows // plan.batch_size)


def row_order(n_rows: int, plan: Plan, epoch: int, device: torch.device) -> Tensor | None:
    """Return a random permutation of the rows, drawn on the device, or None without shuffling."""
    if not plan.shuffle:
        return None
    return _keys(plan, epoch, device)(n_rows).argsort(stable=True)


def _keys(plan: Plan, epoch: int, device: torch.device) -> Callable[[int], Tensor]:
    """Return a function that draws n random numbers to sort by, on the device."""
    stream = Stream([plan.order_seed], epoch, device, purpose=ROW_ORDER)
    draw = stream.uniform if device.type == "cpu" else stream.bits
    return lambda n: draw(n)[0]


def epoch_order(rows: Rows, plan: Plan, epoch: int) -> Tensor | None:
    """Return the order of the rows in an epoch, or None without shuffling.

    Rows that are read from a source are shuffled within windows. If all rows fit into one, the
    order is that of rows in memory.
    """
    if plan.shuffle and isinstance(rows, StreamedRows):
        return rows.order(plan.batch_size, _keys(plan, epoch, rows.inputs.device))
    return row_order(len(rows), plan, epoch, rows.inputs.device)


def batch_sizes(n_rows: int, plan: Plan) -> list[int]:
    """Return the sizes of the batches of an epoch.

    >>> batch_sizes(10, Plan(batch_size=4)), batch_sizes(10, Plan(batch_size=4, drop_last=True))
    ([4, 4, 2], [4, 4])
    >>> batch_sizes(10, Plan(batch_size=4, rows_per_epoch=6))
    [4, 2]
    """
    n_rows = min(n_rows, plan.rows_per_epoch or n_rows)
    starts = range(0, count_batches(n_rows, plan) * plan.batch_size, plan.batch_size)
    return [min(plan.batch_size, n_rows - start) for start in starts]


def epoch_batches(rows: Rows, plan: Plan, epoch: int) -> Iterator[Rows]:
    """Yield the batches of an epoch; their order depends only on the plan and the epoch."""
    return rows.parts(epoch_order(rows, plan, epoch), batch_sizes(len(rows), plan))
