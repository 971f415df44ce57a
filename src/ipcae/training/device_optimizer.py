"""Adam on a GPU, in few launches and with the count of the steps on the device."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor

from ipcae.ops.precision import kernel_precision
from ipcae.ops.tape import Factors, Tape
from ipcae.runs import DeviceStep
from ipcae.training.optimizer import Adam, Pace

# Smaller weights are not worth a launch of their own.
_SMALLEST_FACTORED = 2**16


def factorable(optimizer: Adam) -> list[Tensor]:
    """Return the weights whose gradients are best left in factors."""
    large = (t for t in optimizer.trained if t.ndim == 3 and t[0].numel() >= _SMALLEST_FACTORED)
    return list(large)


def device_step(
    optimizer: Adam,
    gradients: Sequence[Tensor | None],
    tape: Tape,
    pace: Pace,
    step: DeviceStep,
) -> None:
    """Update the trained tensors in place: those with factors on the tape, then the rest."""
    from ipcae.ops.adam_triton import adam_update, adam_update_product

    tape.wait()
    firsts, seconds = (moments.values() for moments in optimizer.moments)
    triples = {
        t.data_ptr(): (t, a, b) for t, a, b in zip(optimizer.trained, firsts, seconds, strict=True)
    }
    rest = dict(zip(triples, gradients, strict=True))
    for address, factors in tape.factors.items():
        own, bias = factors[0], factors[0].bias
        if len(factors) > 1:
            _multiply_out(factors, address, rest)
            continue
        adam_update_product(
            triples[address],
            None if bias is None else triples[bias.data_ptr()],
            own,
            pace.step_sizes,
            step,
            optimizer.weight_decay,
            kernel_precision(),
        )
        rest.pop(address)
        if bias is not None:
            rest.pop(bias.data_ptr())
    if not rest:
        return
    tensors, own_firsts, own_seconds = zip(*(triples[address] for address in rest), strict=True)
    adam_update(
        tensors,
        [
            torch.zeros_like(tensor) if gradient is None else gradient.contiguous()
            for tensor, gradient in zip(tensors, rest.values(), strict=True)
        ],
        own_firsts,
        own_seconds,
        pace.step_sizes,
        step,
        optimizer.weight_decay,
    )


def _multiply_out(factors: list[Factors], address: int, rest: dict[int, Tensor | None]) -> None:
    """Add up the gradients of a weight that was used more than once."""
    from ipcae.ops.run_linear.product_triton import multiply

    for own in factors:
        weight, bias = multiply(
            own.grad.transpose(1, 2), own.inputs, kernel_precision(), with_row_sums=True
        )
        _add(rest, address, weight)
        if own.bias is not None and bias is not None:
            _add(rest, own.bias.data_ptr(), bias)


def _add(gradients: dict[int, Tensor | None], address: int, more: Tensor) -> None:
    known = gradients[address]
    gradients[address] = more if known is None else known + more
