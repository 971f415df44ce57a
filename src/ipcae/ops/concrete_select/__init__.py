"""The concrete selector layer: K Gumbel-Softmax nodes select among D features.

Node i of a run samples m_i = softmax((log α_i + g_i) / T) with Gumbel noise g_i and maps a row x to
m_i · x. As T goes to zero, m_i becomes one-hot: the node selects one feature.

Each row may have its own noise sample, or a group of consecutive rows shares one
(:func:`group_rows`).

In reading order: ``reference`` defines the result. On the CPU, ``in_place`` computes it in less
memory, and ``in_parts`` with less noise at a time. On a GPU, ``fused`` makes a ``kernel_call`` of
one of two families of kernels, with the noise of ``noise_triton``:

- ``rows_launch``, if every row has its own sample: ``rows_triton``, and ``rows_gradient_triton``
  or, from ``kept_weights``, ``kept_weights_triton``;
- ``groups_launch``, if rows share samples: ``groups_triton`` and ``groups_gradient_triton``.

``slots`` selects groups of columns, and ``batch_part`` is for a batch that is divided among
processes.
"""

from __future__ import annotations

import torch
from torch import Tensor

from ipcae.ops.concrete_select import in_parts, reference
from ipcae.ops.concrete_select.batch_part import select_of_part
from ipcae.ops.concrete_select.reference import group_rows
from ipcae.ops.dispatch import kernels_for
from ipcae.ops.gumbel import gumbel_from_bits
from ipcae.ops.precision import kernel_precision
from ipcae.runs import Stream

__all__ = ["concrete_select", "group_rows", "hard_select"]


def concrete_select(
    logits: Tensor,
    rows: Tensor,
    temperature: float | Tensor,
    *,
    draws: int | str = "row",
    stream: Stream | None = None,
    noise: Tensor | None = None,
    straight_through: bool = False,
) -> Tensor:
    """Map every row to the values of the K nodes of every run.

    Parameters
    ----------
    logits : Tensor of shape (R, K, D)
        Unnormalized log-probabilities, log α.
    rows : Tensor of shape (B, D)
    temperature : float or scalar Tensor
        T > 0.
    draws : int or "row"
        Number of independent noise samples per batch, each shared by consecutive rows.
    stream : Stream, optional
        Source of the noise.
    noise : Tensor of shape (R, n, K, D), optional
        n noise samples, instead of a stream. With neither stream nor noise the selection is hard:
        the feature with the largest logit.
    straight_through : bool
        Select the largest element of each sample, with the gradient of the soft sample.

    Returns
    -------
    Tensor of shape (R, B, K)

    Examples
    --------
    >>> logits = torch.tensor([[[0.0, 9.0, 0.0]]])
    >>> concrete_select(logits, torch.tensor([[1.0, 2.0, 3.0]]), 1.0)
    tensor([[[2.]]])
    """
    if noise is None:
        if stream is None:
            return hard_select(rows, logits.argmax(-1))
        if stream.part is not None:
            return select_of_part(
                concrete_select, logits, rows, temperature, draws, stream, straight_through
            )
        if kernels_for(logits) and rows.dtype == torch.float32:
            from ipcae.ops.concrete_select import fused

            held = torch.as_tensor(temperature, dtype=torch.float32, device=logits.device)
            return fused.concrete_select(
                logits,
                rows,
                held,
                draws,
                stream.next_counter(),
                straight_through,
                kernel_precision(),
            )
        single = logits.dtype == rows.dtype == torch.float32
        learned = isinstance(temperature, Tensor) and temperature.requires_grad
        if single and logits.device.type == "cpu" and not learned:
            return in_parts.concrete_select(
                logits, rows, temperature, draws, stream, straight_through
            )
        n_draws, _ = group_rows(len(rows), draws)
        noise = gumbel_from_bits(stream.bits(n_draws, *logits.shape[1:]))
    return reference.concrete_select(logits, rows, temperature, noise, straight_through)


def hard_select(rows: Tensor, features: Tensor) -> Tensor:
    """Return the selected features of every row.

    Shape: rows (B, D); features (R, K), integers -> (R, B, K).
    """
    return rows[:, features].transpose(0, 1)
