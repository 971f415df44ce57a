"""Training epochs on the CPU, with one step traced and then replayed.

A step of a small model consists of about a hundred operations of a few microseconds each, and the
overhead of Python and autograd takes as long as the operations. After some steps on batches of a
size, one is therefore traced into a flat list of operations, forward and backward, which is
replayed from then on. What changes from step to step is passed as arguments or read from tensors:
the rows, the random values, the values of the schedules. Results are bitwise identical to those of
:class:`PlainEpochs`.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import NoReturn

import torch
from torch import Tensor

from ipcae.models import Model
from ipcae.ops.run_linear.run_by_run import aligned
from ipcae.rows import Rows
from ipcae.runs import Stream
from ipcae.runs.seeds import positions_of
from ipcae.schedules import TensorProgress
from ipcae.training.builtin_parts import is_builtin
from ipcae.training.epochs.plain import PlainEpochs
from ipcae.training.epochs.step import Step, losses_and_gradients
from ipcae.training.problem import Problem
from ipcae.training.states.state import State
from ipcae.training.tracing.flat import flat_function

logger = logging.getLogger("ipcae")

_LONG = 100  # minimum number of steps for which tracing saves time
_PLAIN = 10  # steps on batches of a size before one is traced, which takes about as long as these


@dataclass
class _Trace:
    """The step on batches of one size: what it draws, and its operations once traced."""

    draws: list[_Draw]
    flat: Callable[..., list[Tensor]] | None = None
    n_steps: int = 1


class TracedEpochs(PlainEpochs):
    """Epochs that replay a traced step."""

    def __init__(self, model: Model, problem: Problem, state: State):
        super().__init__(model, problem, state)
        self.progress = TensorProgress(0.0, torch.device("cpu"))
        self.traces: dict[int, _Trace] = {}  # by the size of a batch
        self.traceable = True

    @staticmethod
    def suit(model: Model, problem: Problem, state: State) -> bool:
        """Return whether tracing saves time, and all parts do the same in every step."""
        plan = problem.plan
        n_steps = (plan.max_epochs - state.epoch) * problem.n_batches
        return n_steps >= _LONG and is_builtin(model) and is_builtin(problem.loss)

    def _steps(self, progress: float) -> Tensor:
        self.progress.move(progress)
        return super()._steps(progress)

    def _losses_and_gradients(self, batch: Rows, step: Step) -> tuple[Tensor, Sequence[Tensor]]:
        """Return the loss of every run on a batch, (R,), and the gradients of what is trained."""
        if not self.traceable:
            return super()._losses_and_gradients(batch, step)
        stream, trace = step.stream, self.traces.get(len(batch))
        if trace is None:
            recorder = _Recorder(stream)
            recorded = replace(step, progress=self.progress, stream=recorder)
            found = super()._losses_and_gradients(batch, recorded)
            self.traces[len(batch)] = _Trace(recorder.drawn)
            self.traceable = recorder.saw_all
            return found
        trace.n_steps += 1
        if trace.n_steps <= _PLAIN:
            return super()._losses_and_gradients(batch, step)
        # Align here: the trace fixes whether a product copies its operand.
        tensors = [step.penalty_weights, aligned(batch.inputs), batch.targets]
        tensors += [] if batch.weights is None else [batch.weights]
        tensors = [tensor.contiguous() for tensor in tensors]
        results = self._replay(trace, tensors, [draw.of(stream) for draw in trace.draws])
        if results is None:
            fresh = Stream(stream.seeds, stream.step, stream.device)
            return super()._losses_and_gradients(batch, replace(step, stream=fresh))
        losses, *gradients = results
        return losses, gradients

    def _replay(
        self, trace: _Trace, tensors: list[Tensor], drawn: list[Tensor]
    ) -> list[Tensor] | None:
        """Run the step, which is traced the first time; return None if that fails."""
        if trace.flat is not None:
            with torch.inference_mode():
                return trace.flat(*tensors, *drawn)
        self.progress.fixed = True
        try:
            examples = [*tensors, *map(torch.clone, drawn)]  # the step overwrites its noise
            flat = flat_function(self._of_tensors, list(self.state.params.values()), examples)
            with torch.inference_mode():
                results = flat(*tensors, *drawn)
        except Exception as error:  # tracing uses private interfaces of PyTorch
            self.traceable = False
            reason = str(error).partition("\n")[0]
            logger.info("Training continues without tracing, which is slower: %s", reason)
            return None
        trace.flat = flat
        return results

    def _of_tensors(self, *tensors: Tensor) -> list[Tensor]:
        """Return the losses and the gradients as a function of tensors, also of random values."""
        names = list(self.state.params)
        remaining = iter(tensors)
        params = {name: next(remaining) for name in names}
        penalty_weights = next(remaining)
        rows = self.problem.rows
        inputs, targets = next(remaining), next(remaining)
        weights = None if rows.weights is None else next(remaining)
        batch = Rows(inputs, targets, weights)
        stream = _Drawn(self.problem.runs.seeds, list(remaining))
        step = Step(self.progress, penalty_weights, stream)
        losses, gradients = losses_and_gradients(
            self.model, self.problem.loss, params, self.state.optimizer.names, batch, step
        )
        return [losses, *gradients]


@dataclass(frozen=True)
class _Draw:
    """A draw: its shape, and the function of its bits that runs with the same seed share, if so."""

    shape: tuple[int, ...]
    function: Callable[[Tensor], Tensor] | None = None

    def of(self, stream: Stream) -> Tensor:
        if self.function is None:
            return stream.bits(*self.shape)
        return stream.distinct(self.function, *self.shape)[0]


class _Recorder(Stream):
    """A stream that records what is drawn from it."""

    def __init__(self, stream: Stream):
        super().__init__(stream.seeds, stream.step, stream.device, stream.purpose)
        self.drawn: list[_Draw] = []

    def bits(self, *shape: int) -> Tensor:
        self.drawn.append(_Draw(shape))
        return super().bits(*shape)

    def distinct(
        self, function: Callable[[Tensor], Tensor], *shape: int
    ) -> tuple[Tensor, Tensor | None]:
        self.drawn.append(_Draw(shape, function))
        return super().distinct(function, *shape)

    @property
    def saw_all(self) -> bool:
        """Whether all draws were whole tensors of bits, or functions of them."""
        return self._draws == len(self.drawn)


class _Drawn(Stream):
    """A stream of values drawn beforehand."""

    def __init__(self, seeds: Sequence[int], values: list[Tensor]):
        super().__init__(seeds)
        self._values = iter(values)

    def bits(self, *shape: int) -> Tensor:
        return next(self._values)

    def distinct(
        self, function: Callable[[Tensor], Tensor], *shape: int
    ) -> tuple[Tensor, Tensor | None]:
        return next(self._values), positions_of(self.seeds)

    def _next_position(self) -> NoReturn:
        raise RuntimeError("The traced step drew only bits.")
