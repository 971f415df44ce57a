"""The concrete selection for a part of a batch, whose other rows are in other processes.

The part is padded to whole draws of the batch, so that every row gets the noise that it would get
in the whole batch.
"""

from __future__ import annotations

from collections.abc import Callable

from torch import Tensor
from torch.nn import functional

from ipcae.ops.concrete_select.reference import group_rows
from ipcae.runs import Stream


def select_of_part(
    select: Callable[..., Tensor],
    logits: Tensor,
    rows: Tensor,
    temperature: float | Tensor,
    draws: int | str,
    stream: Stream,
    straight_through: bool,
) -> Tensor:
    """Call ``select`` with the draws of the batch that ``stream.part`` is about.

    Shape: logits (R, K, D); rows (B, ...) -> (R, B, ...).
    """
    part = stream.part
    assert part is not None
    _, size = group_rows(part.n_rows, draws)
    first, last = part.first // size, -(-(part.first + len(rows)) // size)
    before = part.first - first * size
    after = (last - first) * size - before - len(rows)
    selected = select(
        logits,
        functional.pad(rows, (0, 0) * (rows.ndim - 1) + (before, after)),
        temperature,
        draws=last - first,
        stream=stream.next_draw(first, logits[0].numel()),
        straight_through=straight_through,
    )
    return selected[:, before : before + len(rows)]
