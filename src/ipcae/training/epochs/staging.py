"""The rows of the next steps, in buffers that captured steps read.

Rows in memory are copied by a kernel that is captured with the steps. Rows that are read from a
source, and weights of rows per run, are copied before the steps are replayed.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial

import torch
from torch import Tensor

from ipcae.ops.dispatch import kernels_for
from ipcae.rows import Rows
from ipcae.sources import StreamedRows
from ipcae.training.batches import epoch_order
from ipcae.training.problem import Problem


class Staging:
    """Buffers for the rows of a sequence of steps, and for the number of its first step."""

    def __init__(self, problem: Problem, n_rows: int):
        self.problem = problem
        rows, device = problem.rows, problem.rows.inputs.device
        self.staged = rows.take(slice(n_rows)).copy()
        self.first_step = torch.zeros((), dtype=torch.int64, device=device)
        self._read = isinstance(rows, StreamedRows) and not rows.kept
        self._parts: Iterator[Rows] = iter(())  # of rows that are read from a source
        self._order: Tensor | None = None
        if problem.plan.shuffle and not self._read:
            self._order = torch.zeros(len(rows), dtype=torch.int64, device=device)

    def begin_epoch(self, epoch: int, sizes: Sequence[int]) -> None:
        """Draw the order of the rows; ``sizes`` are the numbers of rows of all sequences."""
        rows = self.problem.rows
        draw = partial(epoch_order, rows, self.problem.plan, epoch)
        if isinstance(rows, StreamedRows) and self._read:
            self._parts = rows.parts(draw, sizes)
        elif self._order is not None and (order := draw()) is not None:
            self._order.copy_(order)

    def copy_before(self, step: int, start: int, n_rows: int) -> None:
        """Set the number of the first step, and copy rows that captured steps cannot copy."""
        self.first_step.fill_(step)
        if self._captured:
            return
        rows, order = self.problem.rows, self._order
        if self._read:
            rows, start = next(self._parts), 0
        for source, staged, axis in self._pairs(rows):
            target = staged.narrow(axis, 0, n_rows)
            if order is None:
                target.copy_(source.narrow(axis, start, n_rows))
            elif axis == 0:
                torch.index_select(source, 0, order[start : start + n_rows], out=target)
            else:
                target.copy_(source.index_select(axis, order[start : start + n_rows]))

    def copy_within(self, n_rows: int) -> None:
        """Copy the other rows. This is captured with the steps that read them."""
        if not self._captured:
            return
        from ipcae.ops.gather_rows_triton import gather_rows

        pairs = self._pairs(self.problem.rows)
        sources = [source for source, _, _ in pairs]
        targets = [staged[:n_rows] for _, staged, _ in pairs]
        size = self.problem.plan.batch_size
        gather_rows(sources, targets, self._order, self.first_step, self.problem.n_batches, size)

    @property
    def _captured(self) -> bool:
        rows = self.problem.rows
        return (
            not self._read
            and kernels_for(rows.inputs)
            and all(axis == 0 and own.is_contiguous() for own, _, axis in self._pairs(rows))
        )

    def _pairs(self, rows: Rows) -> list[tuple[Tensor, Tensor, int]]:
        """Return every tensor of the rows, its buffer, and the axis of the rows."""
        staged = self.staged
        last = 0 if rows.weights is None else rows.weights.ndim - 1
        pairs = [
            (rows.inputs, staged.inputs, 0),
            (rows.given_targets, staged.given_targets, 0),
            (rows.weights, staged.weights, last),
        ]
        return [
            (source, copy, axis)
            for source, copy, axis in pairs
            if source is not None and copy is not None
        ]
