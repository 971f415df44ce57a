"""Rows of a source that are read ahead and copied to a GPU while it computes.

Nothing here waits for the GPU, except to limit the memory of the parts that it has not used yet.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import accumulate
from typing import TYPE_CHECKING

import torch
from torch import Tensor

from ipcae.cuda_streams import reserve_stream
from ipcae.rows import Rows
from ipcae.sources.ahead import grouped, read_ahead

if TYPE_CHECKING:
    from ipcae.sources.streamed import StreamedRows

_UNIT_BYTES = 2**24  # parts are read together up to this size
_UNITS_AHEAD = 4


class GpuReader:
    """Reads parts of the rows in a thread and copies them on its own stream.

    ``order`` returns the order of the rows, on the GPU or the CPU; it is called in the thread.
    """

    def __init__(
        self, rows: StreamedRows, order: Callable[[], Tensor | None], sizes: Sequence[int]
    ):
        self.rows, self.draw_order, self.sizes = rows, order, list(sizes)
        self.device = rows.inputs.device
        self.stream = reserve_stream(self.device, self)
        self.order = self.host_order = torch.empty(0, dtype=torch.int64)
        self.scale: Callable[[Tensor], Tensor] = lambda rows: rows

    def parts(self) -> Iterator[Rows]:
        """Yield the parts, to be used on the current stream."""
        source = self.rows.source
        at_once = min(_UNIT_BYTES, source.window_bytes) if source.any_row else source.window_bytes
        groups = grouped(self.sizes, self.sizes, max(at_once // source.row_bytes, 1))
        ends = list(accumulate(sum(group) for group in groups))
        units = read_ahead(
            (
                partial(self._read, end - sum(group), end)
                for group, end in zip(groups, ends, strict=True)
            ),
            _UNITS_AHEAD if source.any_row else 1,
        )
        unused = max(source.window_bytes // (max(self.sizes) * source.row_bytes), 2)
        pending: deque[torch.cuda.Event] = deque()
        for group, (unit, copied) in zip(groups, units, strict=True):
            current = torch.cuda.current_stream(self.device)
            current.wait_event(copied)
            for tensor in (unit.inputs, unit.given_targets, unit.weights):
                if tensor is not None:
                    tensor.record_stream(current)
            for part in unit.parts(None, group):
                yield part
                used = torch.cuda.Event()
                used.record(torch.cuda.current_stream(self.device))
                pending.append(used)
                if len(pending) > unused:
                    pending.popleft().synchronize()

    def _read(self, start: int, stop: int) -> tuple[Rows, torch.cuda.Event]:
        """Read some rows and copy them; return them with the end of the copy."""
        with torch.cuda.device(self.device), torch.cuda.stream(self.stream):
            if not start:
                self._begin()
            read = self.rows.source.load(self.host_order[start:stop].numpy(), self.device)
            unit = self.rows.finished(read, self.order[start:stop], self.scale)
            copied = torch.cuda.Event()
            copied.record(self.stream)
        return unit, copied

    def _begin(self) -> None:
        """Draw the order and copy the scales, once."""
        order, n_rows = self.draw_order(), sum(self.sizes)
        self.order = torch.arange(n_rows) if order is None else order[:n_rows]
        self.host_order, self.order = self.order.cpu(), self.order.to(self.device)
        if self.rows.scaler is not None:
            self.scale = self.rows.scaler.prepared(self.rows.source.dtype, self.device)
