"""Selection among groups of columns: one sample per node selects all columns of a group."""

from __future__ import annotations

from torch import Tensor
from torch.nn import functional

from ipcae.ops.concrete_select import concrete_select
from ipcae.ops.concrete_select.batch_part import select_of_part
from ipcae.ops.concrete_select.reference import group_rows
from ipcae.runs import Stream


def concrete_select_slots(
    logits: Tensor,
    rows: Tensor,
    temperature: float | Tensor,
    *,
    draws: int | str = "row",
    stream: Stream | None = None,
    straight_through: bool = False,
) -> Tensor:
    """Map every row to the S values of each of the K nodes of every run.

    Column s of group g is ``rows[:, s, g]``, zero if the group has fewer columns. The slots of a
    row are passed to :func:`concrete_select` as S consecutive rows that share a noise sample.

    Shape: logits (R, K, G); rows (B, S, G) -> (R, B, K, S).

    >>> import torch
    >>> logits = torch.tensor([[[0.0, 9.0]]])
    >>> concrete_select_slots(logits, torch.tensor([[[1.0, 2.0], [0.0, 3.0]]]), 1.0)
    tensor([[[[2., 3.]]]])
    """
    if stream is not None and stream.part is not None:
        return select_of_part(
            concrete_select_slots, logits, rows, temperature, draws, stream, straight_through
        )
    n_rows, n_slots, n_groups = rows.shape
    n_draws, size = group_rows(n_rows, draws)
    # Whole groups of rows, so that no draw ends between two slots of a row.
    padded = functional.pad(rows, (0, 0, 0, 0, 0, n_draws * size - n_rows))
    selected = concrete_select(
        logits,
        padded.reshape(-1, n_groups),
        temperature,
        draws=n_draws,
        stream=stream,
        straight_through=straight_through,
    )
    n_runs, _, n_nodes = selected.shape
    return selected.view(n_runs, -1, n_slots, n_nodes)[:, :n_rows].transpose(2, 3)
