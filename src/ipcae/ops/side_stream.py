"""Weight gradients on a side stream.

The gradients of weights are needed only at the end of a step. Their products are small and leave a
large GPU half empty, so they are computed on a second CUDA stream while the backward pass continues
with the earlier layers.

Such a gradient is not returned to autograd, which would add it to the gradients of the weight's
other uses without waiting for the side stream. It is kept here and added after the backward pass,
when the main stream has waited.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar

import torch
from torch import Tensor

from ipcae.context import temporarily
from ipcae.ops.product_gradient import ProductGradient, SumGradient

Gradient = Tensor | ProductGradient | SumGradient


class DeferredGradients:
    """Gradients of leaf tensors that one backward pass computes on a side stream.

    Without a stream, as on the CPU, they are computed at once.
    """

    def __init__(self, stream: torch.cuda.Stream | None = None):
        self._stream = stream
        self._found: list[tuple[Tensor, Gradient]] = []
        self._in_use: list[Tensor] = []

    def compute(
        self,
        work: Callable[[], Sequence[Gradient | None]],
        weights: Sequence[Tensor | None],
        inputs: Sequence[Tensor],
    ) -> Sequence[Gradient | None]:
        """Compute the gradients of ``weights`` from ``inputs``; return what autograd is to get.

        That is None for each of them, unless a weight is itself a result of other operations, whose
        backward pass needs the gradient.
        """
        if not all(weight is None or weight.is_leaf for weight in weights):
            return work()
        # Keep them alive: the allocator knows nothing of their use on another stream.
        self._in_use.extend(inputs)
        with alongside(self._stream):
            gradients = work()
        for weight, gradient in zip(weights, gradients, strict=True):
            if weight is not None and gradient is not None:
                self._found.append((weight, gradient))
        return [None] * len(weights)

    def wait(self) -> None:
        """Let the current stream wait for the side stream."""
        if self._stream is not None and self._in_use:
            torch.cuda.current_stream(self._stream.device).wait_stream(self._stream)
            self._in_use.clear()

    def add_to(
        self, weights: Sequence[Tensor], gradients: Sequence[Tensor | None]
    ) -> list[Gradient | None]:
        """Return the sums of what autograd found for the weights and what was deferred."""
        totals: list[Gradient | None] = list(gradients)
        index = {id(weight): i for i, weight in enumerate(weights)}
        for weight, gradient in self._found:
            i = index.get(id(weight))
            if i is not None:
                total = totals[i]
                totals[i] = gradient if total is None else computed(total) + computed(gradient)
        return totals


def computed(gradient: Gradient) -> Tensor:
    """Return the gradient itself."""
    return gradient if isinstance(gradient, Tensor) else gradient.computed()


@contextmanager
def alongside(stream: torch.cuda.Stream | None) -> Iterator[None]:
    """Run the block on a side stream; what follows on the current stream does not wait for it."""
    if stream is None:
        yield
        return
    stream.wait_stream(torch.cuda.current_stream(stream.device))
    with torch.cuda.stream(stream):
        yield


_deferred: ContextVar[DeferredGradients | None] = ContextVar("deferred", default=None)


@contextmanager
def deferred_gradients(stream: torch.cuda.Stream | None = None) -> Iterator[DeferredGradients]:
    """Defer the weight gradients of the operations applied in this block to a side stream.

    The backward pass belongs into the block too. When the block ends, the current stream waits for
    the side stream; :meth:`DeferredGradients.add_to` then completes what autograd returned.

    >>> from ipcae.ops import run_linear
    >>> weight = torch.ones(1, 2, 3, requires_grad=True)
    >>> with deferred_gradients() as deferred:
    ...     outputs = run_linear(torch.ones(1, 4, 3), weight)
    ...     gradients = torch.autograd.grad(outputs.sum(), [weight], allow_unused=True)
    >>> deferred.add_to([weight], gradients)
    [tensor([[[4., 4., 4.],
             [4., 4., 4.]]])]
    """
    deferred = DeferredGradients(stream)
    try:
        with temporarily(_deferred, deferred):
            yield deferred
    finally:
        deferred.wait()


def current_deferred() -> DeferredGradients | None:
    """Return the deferred gradients of the innermost block, None outside such a block."""
    return _deferred.get()
