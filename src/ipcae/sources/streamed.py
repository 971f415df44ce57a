"""Rows that are read from a source, scaled and copied to the device batch by batch."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, NoReturn

import torch
from torch import Tensor

from ipcae.errors import InputError
from ipcae.rows import Rows
from ipcae.sources.ahead import read_ahead
from ipcae.sources.base import Index, Source, shuffled_together
from ipcae.sources.order import windowed_order
from ipcae.sources.summary import Summary

_BATCHES_AHEAD = 4


@dataclass(frozen=True, eq=False)
class StreamedRows(Rows):
    """Rows of a source, with targets and weights in memory.

    ``inputs`` is an empty tensor on the device of the training: the rows are read by :meth:`take`
    and :meth:`parts`, scaled by ``scaler`` and copied to the device. With ``columns_follow``, the
    targets of a batch are the given ones followed by its inputs, as for two objectives.
    """

    source: Source = field(default=None, compare=False)  # type: ignore[assignment]
    scaler: Any = None
    summary: Summary | None = None
    columns_follow: bool = False

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

    def scaled(self, scaler: Any, targets: Tensor | None) -> StreamedRows:
        """Return the rows as they are to be scaled, with other targets."""
        return replace(self, scaler=scaler, given_targets=targets)

    def subset(self, rows: Index) -> StreamedRows:
        """Return some of the rows, which are still to be read."""
        labels = Rows(self.inputs, self.given_targets, self.weights)
        targets, weights = _labels(labels, torch.from_numpy(rows))
        return StreamedRows.of(self.source.subset(rows), targets, weights, self.columns_follow)

    def take(self, which: Tensor | slice) -> Rows:
        """Read the rows of a slice, or with these indices."""
        index = torch.arange(len(self))[which] if isinstance(which, slice) else which.cpu()
        return self.labelled(self._load(index.numpy()), index)

    def order(self, batch_size: int, draw: Callable[[int], Tensor]) -> Tensor:
        """Return the order of the rows in an epoch; ``draw(n)`` draws n numbers from 0 to 1."""
        row_keys = draw(len(self)).numpy()
        starts = self.source.starts
        window = shuffled_together(self.source, batch_size)
        order = windowed_order(starts, window, draw(len(starts)).numpy(), row_keys)
        return torch.from_numpy(order)

    def parts(self, order: Tensor | None, sizes: Sequence[int]) -> Iterator[Rows]:
        """Yield the rows in parts of these sizes, read ahead in a thread."""
        order = torch.arange(sum(sizes)) if order is None else order[: sum(sizes)]
        indices = list(order.split(list(sizes)))
        device = self.inputs.device
        stream = torch.cuda.Stream(device) if device.type == "cuda" else None
        if self.source.any_row:
            reads = (partial(self._read, [index], stream) for index in indices)
            units = read_ahead(reads, _BATCHES_AHEAD)
        else:
            groups = _groups(indices, self.source.window_rows)
            units = read_ahead((partial(self._read, group, stream) for group in groups), 1)
        for unit in units:
            for part, index in unit:
                yield self.labelled(part(), index)

    def _read(
        self, indices: list[Tensor], stream: torch.cuda.Stream | None
    ) -> list[tuple[Callable[[], Tensor], Tensor]]:
        """Read several parts at once; return functions that finish each of them."""
        index = torch.cat(indices).numpy()
        if stream is None:
            rows = self.source.take(index)
            if len(indices) == 1:
                whole = self._scale(rows)
                return [(lambda: whole, indices[0])]
            blocks = rows.split([len(each) for each in indices])
            return [
                (partial(self._scale, block), each)
                for block, each in zip(blocks, indices, strict=True)
            ]
        return self._read_to_gpu(indices, index, stream)

    def _read_to_gpu(
        self, indices: list[Tensor], index: Index, stream: torch.cuda.Stream
    ) -> list[tuple[Callable[[], Tensor], Tensor]]:
        """Copy to the GPU on a stream of its own, while kernels run on another."""
        device = self.inputs.device
        with torch.cuda.device(device), torch.cuda.stream(stream):
            rows = self.source.load(index, device)
            blocks = [self._scale(block) for block in rows.split([len(i) for i in indices])]
            copied = torch.cuda.Event()
            copied.record(stream)

        def finished(block: Tensor) -> Tensor:
            current = torch.cuda.current_stream(device)
            current.wait_event(copied)
            block.record_stream(current)
            return block

        return [(partial(finished, b), i) for b, i in zip(blocks, indices, strict=True)]

    def _load(self, index: Index) -> Tensor:
        return self._scale(self.source.load(index, self.inputs.device))

    def _scale(self, rows: Tensor) -> Tensor:
        return rows if self.scaler is None else self.scaler.apply(rows)

    def labelled(self, inputs: Tensor, index: Tensor) -> Rows:
        """Return rows that were read, with the targets and the weights at these indices."""
        targets, weights = _labels(self, index.to(inputs.device))
        if targets is not None and self.columns_follow:
            targets = torch.cat([targets.to(inputs), inputs], 1)
        return Rows(inputs, targets, weights)

    def to(self, device: torch.device) -> StreamedRows:
        """Return the same rows, to be copied to a device."""
        targets, weights = (
            None if tensor is None else tensor.to(device)
            for tensor in (self.given_targets, self.weights)
        )
        return replace(self, inputs=self.inputs.to(device), given_targets=targets, weights=weights)

    def joined(self, other: Rows) -> NoReturn:
        """Raise an error: the rows are not in memory."""
        raise InputError(
            f"{self.source} is read in parts: this needs all rows in memory. Pass an array."
        )


def _labels(rows: Rows, index: Tensor) -> tuple[Tensor | None, Tensor | None]:
    """Return the targets and the weights of some rows."""
    targets, weights = (
        None if tensor is None else tensor.index_select(0, index)
        for tensor in (rows.given_targets, rows.weights)
    )
    return targets, weights


def _groups(indices: Sequence[Tensor], most: int) -> Iterator[list[Tensor]]:
    """Put parts together, as many as a window has rows."""
    group: list[Tensor] = []
    n_rows = 0
    for index in indices:
        if group and n_rows + len(index) > most:
            yield group
            group, n_rows = [], 0
        group.append(index)
        n_rows += len(index)
    yield group
