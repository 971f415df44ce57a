"""The losses and the gradients of an optimizer step on a batch."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

from ipcae.errors import InputError
from ipcae.losses import Loss, mean_loss, row_losses, row_shares
from ipcae.models import FixedSelection, Model, Params
from ipcae.ops.side_stream import Gradient, deferred_gradients
from ipcae.rows import Rows
from ipcae.runs import Stream
from ipcae.schedules import Progress
from ipcae.training.epochs.mixing import draw_shares, mixture, mixture_losses, mixup_of


@dataclass(frozen=True)
class Step:
    """The inputs of a step other than its batch.

    Shape: penalty_weights (R,).
    """

    progress: Progress
    penalty_weights: Tensor
    stream: Stream


def losses_and_gradients(
    model: Model,
    loss: Loss,
    params: Params,
    names: list[str],
    batch: Rows,
    step: Step,
    shares: Tensor | None = None,
) -> tuple[Tensor, tuple[Tensor, ...]]:
    """Return the loss of every run on a batch, and the gradients of the named tensors.

    The gradient of a tensor that the loss does not depend on is zero. The gradients are multiplied
    by ``shares``, of shape (R,), if given.
    """
    per_row, penalty = _objective(model, loss, params, batch, step)
    losses = mean_loss(per_row, batch.weights)
    total = losses if penalty is None else losses + step.penalty_weights * penalty
    trained = [params[name] for name in names]
    # The sum of all runs has the gradients of each. Passing the gradient of every loss instead
    # would make PyTorch import its symbolic algebra, which takes longer than a small fit.
    objective = (total if shares is None else total * shares).sum()
    gradients = torch.autograd.grad(objective, trained, allow_unused=True)
    filled = tuple(
        torch.zeros_like(tensor) if gradient is None else gradient
        for tensor, gradient in zip(trained, gradients, strict=True)
    )
    return losses.detach(), filled


def row_losses_and_gradients(
    model: Model,
    loss: Loss,
    params: Params,
    names: list[str],
    batch: Rows,
    step: Step,
    side_stream: torch.cuda.Stream | None,
) -> tuple[Tensor, list[Gradient | None]]:
    """Return the loss of every run on every row, (R, B), and the gradients of the named tensors.

    This takes few kernels. The gradients of weights are computed on ``side_stream``, if given;
    those of large weights are left to the optimizer as two factors.
    """
    trained = [params[name] for name in names]
    with deferred_gradients(side_stream) as deferred:
        losses, start, penalty = _start_of_backward(model, loss, params, batch, step)
        starts = [start]
        if penalty is not None and penalty.requires_grad:
            starts.append((penalty.expand_as(step.penalty_weights), step.penalty_weights))
        tensors, above = zip(*starts, strict=True)
        # In this thread: to hand a small step to another one takes longer than the step.
        with torch.autograd.set_multithreading_enabled(False):
            gradients = torch.autograd.grad(tensors, trained, above, allow_unused=True)
    return losses.detach(), deferred.add_to(trained, gradients)


def _start_of_backward(
    model: Model, loss: Loss, params: Params, batch: Rows, step: Step
) -> tuple[Tensor, tuple[Tensor, Tensor], Tensor | None]:
    """Return the losses, a tensor of the graph with its gradient, and the penalty of every run.

    The tensor holds the outputs if the loss returns their gradients, and the losses otherwise.
    """
    if mixup_of(model, loss) or not hasattr(loss, "with_gradient"):
        losses, penalty = _objective(model, loss, params, batch, step)
        return losses, (losses, row_shares(losses, batch.weights)), penalty
    outputs, penalty = model.predict_with_penalty(params, batch.inputs, step.progress, step.stream)
    shares = row_shares(outputs.detach()[..., 0], batch.weights)
    losses, gradients = loss.with_gradient(outputs.detach(), batch.targets, shares)
    return losses, (_with_gradient(outputs), gradients), penalty


def _objective(
    model: Model, loss: Loss, params: Params, batch: Rows, step: Step
) -> tuple[Tensor, Tensor | None]:
    """Return the loss of every row in training, (R, B), and the penalty of every run."""
    alpha = mixup_of(model, loss)
    if alpha and isinstance(model, FixedSelection):
        shares = draw_shares(alpha, batch, step.stream)
        values = mixture(model.selected(params, batch.inputs), shares)
        outputs = model.decode(params, values, step.stream)
        return _with_gradient(mixture_losses(loss, outputs, batch, shares)), None
    outputs, penalty = model.predict_with_penalty(params, batch.inputs, step.progress, step.stream)
    return _with_gradient(row_losses(loss, outputs, batch.targets, batch.weights)), penalty


def _with_gradient(tensor: Tensor) -> Tensor:
    if not tensor.requires_grad:
        raise InputError(
            "The loss has no gradient: the decoder or the loss function breaks PyTorch's autograd "
            "graph, for example with .detach() or .numpy(). Use operations on tensors only."
        )
    return tensor
