"""The counter of a draw on a GPU, as a kernel receives it."""

from __future__ import annotations

from dataclasses import dataclass

from torch import Tensor


@dataclass(frozen=True)
class DeviceStep:
    """A step number in device memory: ``base + offset``.

    ``base`` is an int64 scalar tensor, which is updated before a captured sequence is replayed.
    """

    base: Tensor
    offset: int = 0


@dataclass(frozen=True)
class PhiloxCounter:
    """Keys and counter of one draw, for a kernel that generates the random numbers.

    The keys are the seeds of the runs. The counter consists of the step, ``step + offset``, and the
    number of the draw in the step; the kernel adds the position.

    Shape: seeds (R,), int64; step (), int64.
    """

    seeds: Tensor
    step: Tensor
    offset: int
    draw: int

    @property
    def arguments(self) -> tuple[Tensor, Tensor, int, int]:
        """The fields as arguments of a kernel."""
        return self.seeds, self.step, self.offset, self.draw
