"""The concrete selection on the CPU in bounded memory: one run and a few draws at a time.

One noise sample per row takes R × B × K × D numbers. If that is too many to keep, they are drawn
and used in parts, and drawn again in the backward pass. The parts depend only on the sizes of a
single run: results are identical whether a run is trained alone or in a batch.
"""

from __future__ import annotations

import copy
from collections.abc import Iterator
from typing import Any

import torch
from torch import Tensor
from torch.autograd.function import once_differentiable

from ipcae.ops.concrete_select import in_place
from ipcae.ops.concrete_select.reference import group_rows
from ipcae.ops.gumbel import gumbel_from_bits
from ipcae.runs import Stream
from ipcae.runs.seeds import are_repeated
from ipcae.runs.shared_draws import shared_draws

PART = 2**22  # numbers of noise drawn at once
KEPT = 2**25  # most numbers of noise per run to keep for the backward pass


def parts(n_draws: int, size: int) -> list[slice]:
    """Divide draws of ``size`` numbers into parts of even size, except for the last.

    >>> parts(5, 2**21)
    [slice(0, 2, None), slice(2, 4, None), slice(4, 5, None)]
    """
    each = max(1, PART // size)
    each += each * size % 2
    return [slice(start, min(start + each, n_draws)) for start in range(0, n_draws, each)]


def draw_noise(stream: Stream, n_draws: int, n_nodes: int, n_features: int) -> Tensor:
    """Draw all the noise, with temporary memory for one part.

    If the seeds are S distinct ones, repeated in the same order, it is drawn once for each of them.

    Shape: -> (R, n, K, D) or (S, n, K, D).
    """
    if len(parts(n_draws, n_nodes * n_features)) == 1:
        noise, positions = stream.distinct(gumbel_from_bits, n_draws, n_nodes, n_features)
        if positions is None:  # it is overwritten
            return noise if shared_draws() is None else noise.clone()
        if are_repeated(stream.seeds):
            return noise
        return noise.index_select(0, positions)
    noise = torch.empty(len(stream.seeds), n_draws, n_nodes, n_features)
    for run, own in enumerate(_noise_of_runs(stream, n_draws, n_nodes, n_features)):
        for part, numbers in own:
            noise[run, part] = numbers[0]
    return noise


def concrete_select(
    logits: Tensor,
    rows: Tensor,
    temperature: float | Tensor,
    draws: int | str,
    stream: Stream,
    hard: bool,
) -> Tensor:
    """Sample the nodes and apply them to the rows. Shape: as the reference."""
    n_draws, group = group_rows(len(rows), draws)
    n_nodes, n_features = logits.shape[1:]
    if n_draws * n_nodes * n_features <= KEPT:
        noise = draw_noise(stream, n_draws, n_nodes, n_features)
        return in_place.concrete_select(logits, rows, temperature, noise, group, hard)
    return _SelectInParts.apply(logits, rows, temperature, n_draws, group, stream, hard)


class _SelectInParts(torch.autograd.Function):
    @staticmethod
    def forward(
        ctx: Any,
        logits: Tensor,
        rows: Tensor,
        temperature: float | Tensor,
        n_draws: int,
        group: int,
        stream: Stream,
        hard: bool,
    ) -> Tensor:
        ctx.save_for_backward(logits, rows)
        ctx.rest = temperature, n_draws, group, copy.copy(stream), hard
        out = rows.new_empty(len(logits), len(rows), logits.shape[1])
        for run, part, noise, own in _used_parts(logits, rows, n_draws, group, stream):
            own_logits = logits[run : run + 1]
            out[run, part] = in_place.concrete_select(
                own_logits, own, temperature, noise, group, hard
            )[0]
        return out

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor | None, ...]:
        logits, rows = ctx.saved_tensors
        temperature, n_draws, group, stream, hard = ctx.rest
        logits, rows = logits.detach().requires_grad_(), rows.detach().requires_grad_()
        needed = [t for t, n in zip((logits, rows), ctx.needs_input_grad[:2], strict=True) if n]
        totals = [torch.zeros_like(tensor) for tensor in needed]
        for run, part, noise, _ in _used_parts(logits, rows, n_draws, group, copy.copy(stream)):
            with torch.enable_grad():
                selected = in_place.concrete_select(
                    logits[run : run + 1], rows[part], temperature, noise, group, hard
                )
            gradients = torch.autograd.grad(selected, needed, grad[run : run + 1, part])
            for total, gradient in zip(totals, gradients, strict=True):
                total += gradient
        found = iter(totals)
        return *(next(found) if n else None for n in ctx.needs_input_grad[:2]), *[None] * 5


def _used_parts(
    logits: Tensor, rows: Tensor, n_draws: int, group: int, stream: Stream
) -> Iterator[tuple[int, slice, Tensor, Tensor]]:
    """Yield the run, the slice of the rows, the noise and the rows of every part."""
    for run, own in enumerate(_noise_of_runs(stream, n_draws, *logits.shape[1:])):
        for part, noise in own:
            where = slice(part.start * group, min(part.stop * group, len(rows)))
            yield run, where, noise, rows[where]


def _noise_of_runs(
    stream: Stream, n_draws: int, n_nodes: int, n_features: int
) -> Iterator[Iterator[tuple[slice, Tensor]]]:
    """Yield an iterator per run over its parts: the draws, and their noise (1, part, K, D)."""
    size = n_nodes * n_features
    for bits in stream.bits_in_pieces():
        yield (
            (
                part,
                gumbel_from_bits(bits((part.stop - part.start) * size)).view(
                    1, -1, n_nodes, n_features
                ),
            )
            for part in parts(n_draws, size)
        )
