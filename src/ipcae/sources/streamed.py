"""Rows that are read from a source, scaled and copied to the device batch by batch."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, NoReturn, Self

import torch
from torch import Tensor

from ipcae.arrays import Integers
from ipcae.errors import InputError
from ipcae.rows import Rows
from ipcae.sources.ahead import grouped, read_ahead
from ipcae.sources.base import Source, shuffled_together
from ipcae.sources.gpu_reader import GpuReader
from ipcae.sources.order import windowed_order
from ipcae.sources.summary import Summary

Order = Tensor | None | Callable[[], Tensor | None]

KEPT_SHARE = 0.25
"""The share of a GPU's free memory for a table that it keeps."""

_BATCHES_AHEAD = 4


@dataclass(frozen=True, eq=False)
class StreamedRows(Rows):
    """Rows of a source, with targets and weights in memory.

    ``inputs`` is an empty tensor on the device of the training: the rows are read by :meth:`take`
    and :meth:`parts`, scaled by ``scaler`` and copied to the device. With ``columns_follow``, the
    targets of a batch are the given ones followed by its inputs, as for two objectives; with
    ``targets_of``, they are this function of its rows before scaling, such as counts. A GPU that is
    much larger than the table keeps its rows (:meth:`kept_on_device`), in the same order.
    """

    inputs: Tensor = field(compare=False)  # a checkpoint does not depend on where the rows are
    source: Source = field(default=None, compare=False)  # type: ignore[assignment]
    scaler: Any = None
    summary: Summary | None = None
    columns_follow: bool = False
    targets_of: Callable[[Tensor], Tensor] | None = field(default=None, compare=False)

    @classmethod
    def of(
        cls,
        source: Source,
        targets: Tensor | None,
        weights: Tensor | None,
        columns_follow: bool = False,
    ) -> StreamedRows:
        """Return the rows of a source, not scaled."""
        inputs = torch.empty(0, source.shape[1])
        return cls(inputs, targets, weights, source=source, columns_follow=columns_follow)

    def __len__(self) -> int:
        return len(self.source)

    @property
    def streamed(self) -> bool:
        """True: the rows are read in parts."""
        return True

    @property
    def kept(self) -> bool:
        """Whether all rows are on the device."""
        return len(self.inputs) > 0

    def kept_on_device(self) -> StreamedRows:
        """Read all rows once, and keep them on the device."""
        sizes = self.source.block_sizes
        inputs = torch.empty(len(self), self.source.shape[1], device=self.inputs.device)
        for part, rows in zip(self.parts(None, sizes), inputs.split(sizes), strict=True):
            rows.copy_(part.inputs)
        return replace(self, inputs=inputs)

    def kept_if_small(self) -> StreamedRows:
        """Keep the rows on a GPU if they need at most a quarter of its free memory."""
        if not self.inputs.is_cuda or self.columns_follow or self.targets_of is not None:
            return self
        free = torch.cuda.mem_get_info(self.inputs.device)[0]
        n_bytes = 4 * len(self) * self.source.shape[1]
        return self.kept_on_device() if n_bytes <= KEPT_SHARE * free else self

    def scaled(self, scaler: Any, targets: Tensor | None) -> StreamedRows:
        """Return the rows as they are to be scaled, with other targets."""
        return replace(self, scaler=scaler, given_targets=targets)

    def subset(self, rows: Integers) -> StreamedRows:
        """Return some of the rows, which are still to be read."""
        source, index = self.source.subset(rows), torch.from_numpy(rows)
        some = StreamedRows.of(source, self.given_targets, self.weights, self.columns_follow)
        some = replace(some, groups=self.groups)
        return some._with_labels(lambda tensor: tensor.index_select(0, index))

    def take(self, which: Tensor | slice) -> Rows:
        """Read the rows of a slice, or with these indices."""
        if self.kept:
            return super().take(which)
        index = torch.arange(len(self))[which] if isinstance(which, slice) else which.cpu()
        return self.finished(self.source.load(index.numpy(), self.inputs.device), index)

    def order(self, batch_size: int, draw: Callable[[int], Tensor]) -> Tensor:
        """Return the order of the rows in an epoch; ``draw(n)`` draws n numbers to sort by."""
        row_keys = draw(len(self))
        starts = torch.from_numpy(self.source.starts).to(row_keys.device)
        window = shuffled_together(self.source, batch_size)
        return windowed_order(starts, window, draw(len(starts)), row_keys)

    def parts(self, order: Order, sizes: Sequence[int]) -> Iterator[Rows]:
        """Yield the rows in parts of these sizes, read ahead in a thread.

        ``order`` may be a function that returns the order.
        """
        draw = order if callable(order) else lambda: order
        if self.kept:
            return super().parts(draw(), sizes)
        if self.inputs.is_cuda:
            return GpuReader(self, draw, sizes).parts()
        return self._host_parts(draw(), sizes)

    def _host_parts(self, order: Tensor | None, sizes: Sequence[int]) -> Iterator[Rows]:
        order = torch.arange(sum(sizes)) if order is None else order[: sum(sizes)]
        indices = list(order.split(list(sizes)))
        if self.source.any_row:
            reads = (partial(self._read, [index]) for index in indices)
            units = read_ahead(reads, _BATCHES_AHEAD)
        else:
            groups = grouped(indices, sizes, self.source.window_rows)
            units = read_ahead((partial(self._read, group) for group in groups), 1)
        for unit in units:
            for finish in unit:
                yield finish()

    def _read(self, indices: list[Tensor]) -> list[Callable[[], Rows]]:
        """Read several parts at once; return functions that finish each of them."""
        rows = self.source.take(torch.cat(indices).numpy())
        if len(indices) == 1:
            whole = self.finished(rows, indices[0])
            return [lambda: whole]
        blocks = rows.split([len(each) for each in indices])
        return [
            partial(self.finished, block, each) for block, each in zip(blocks, indices, strict=True)
        ]

    def finished(
        self, rows: Tensor, index: Tensor, scale: Callable[[Tensor], Tensor] | None = None
    ) -> Rows:
        """Scale rows that were read, and add their targets, weights and groups."""
        if scale is None and self.scaler is not None:
            scale = self.scaler.apply
        part = self.labeled(rows if scale is None else scale(rows), index)
        return (
            part if self.targets_of is None else replace(part, given_targets=self.targets_of(rows))
        )

    def labeled(self, inputs: Tensor, index: Tensor) -> Rows:
        """Return rows that were read, with the targets, weights and groups at these indices."""
        places = index.to(inputs.device)
        part = Rows(inputs, self.given_targets, self.weights, self.groups)
        part = part._with_labels(lambda tensor: tensor.index_select(0, places))
        if part.given_targets is None or not self.columns_follow:
            return part
        return replace(part, given_targets=torch.cat([part.given_targets.to(inputs), inputs], 1))

    def to(self, device: torch.device) -> Self:
        """Return the same rows, to be copied to a device."""
        moved = super().to(device)
        if device.type == "cuda":  # other streams will read the targets
            torch.cuda.synchronize(device)
        return moved

    def joined(self, other: Rows) -> NoReturn:
        """Raise an error: the rows are not in memory."""
        raise InputError(
            f"{self.source} is read in parts: this needs all rows in memory. Pass an array."
        )
