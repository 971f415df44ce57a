"""Schedules of the temperature and the learning rate.

A schedule is a function of the training progress, epoch / max_epochs, in [0, 1).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Protocol

import torch
from torch import Tensor

from ipcae.errors import InputError, invalid_argument


class TensorProgress:
    """The progress of a captured or traced training, with the values of schedules in tensors.

    A captured step reads the value of a schedule from a scalar tensor. :meth:`move` updates the
    tensors of all schedules that were used before.
    """

    def __init__(self, progress: float, device: torch.device):
        self._progress = progress
        self._device = device
        self._values: list[tuple[Schedule, Tensor]] = []
        self.fixed = False

    def move(self, progress: float) -> None:
        """Set the progress and update the values of the schedules."""
        self._progress = progress
        for schedule, value in self._values:
            value.fill_(schedule(progress))

    def value_of(self, schedule: Schedule) -> Tensor:
        """Return the scalar tensor with the value of a schedule."""
        for known, value in self._values:
            if known is schedule:
                return value
        if self.fixed:
            raise RuntimeError(f"{schedule} was not asked for in the first steps of the training")
        value = torch.full((), float(schedule(self._progress)), device=self._device)
        self._values.append((schedule, value))
        return value


Progress = float | TensorProgress


class Schedule(Protocol):
    """A function of progress in [0, 1]."""

    def __call__(self, progress: float) -> float:
        """Return the value at this progress."""
        ...


def scheduled(schedule: Schedule, progress: Progress) -> float | Tensor:
    """Return the current value of a schedule. Models use this instead of calling the schedule.

    >>> scheduled(Linear(10.0, 0.0), 0.25)
    7.5
    """
    return (
        progress.value_of(schedule) if isinstance(progress, TensorProgress) else schedule(progress)
    )


@dataclass(frozen=True)
class Exponential:
    """Exponential schedule T₀ (T_B / T₀)^(b/B) after b of B epochs, as in the paper.

    Parameters
    ----------
    start : float, default=10.0
        First value, T₀.
    end : float, default=0.01
        Last value, T_B.

    See Also
    --------
    Linear : Linear interpolation.
    Constant : The same value always.

    Examples
    --------
    >>> Exponential(10.0, 0.1)(0.5)
    1.0
    """

    start: float = 10.0
    end: float = 0.01

    def __post_init__(self) -> None:
        if not (self.start > 0 and self.end > 0):
            raise InputError(f"{self} is not possible: expected positive values.")

    def __call__(self, progress: float) -> float:
        """Return the value at this progress."""
        return self.start * (self.end / self.start) ** progress


@dataclass(frozen=True)
class Linear:
    """Linear schedule T₀ + (T_B − T₀) b/B after b of B epochs.

    Parameters
    ----------
    start : float, default=10.0
        First value, T₀.
    end : float, default=0.01
        Last value, T_B.

    See Also
    --------
    Exponential : Geometric interpolation.
    Constant : The same value always.

    Examples
    --------
    >>> Linear(10.0, 0.0)(0.25)
    7.5
    """

    start: float = 10.0
    end: float = 0.01

    def __call__(self, progress: float) -> float:
        """Return the value at this progress."""
        return self.start + (self.end - self.start) * progress


@dataclass(frozen=True)
class Constant:
    """Constant schedule.

    Parameters
    ----------
    value : float, default=1.0
        The value.

    See Also
    --------
    Exponential : Geometric interpolation.
    Linear : Linear interpolation.
    Warmup : A linear start.

    Examples
    --------
    >>> Constant()(0.7)
    1.0
    """

    value: float = 1.0

    def __call__(self, progress: float) -> float:
        """Return the value at this progress."""
        return self.value


@dataclass(frozen=True)
class Warmup:
    """Linear increase from ``start`` to 1 over the first ``fraction`` of training, then 1.

    Parameters
    ----------
    fraction : float, default=0.125
        Fraction of the training over which the value increases.
    start : float, default=0.001
        First value.

    See Also
    --------
    Cosine : Half a cosine wave.
    Constant : The same value always.

    Examples
    --------
    >>> warmup = Warmup(fraction=0.5, start=0.0)
    >>> warmup(0.25), warmup(0.75)
    (0.5, 1.0)
    """

    fraction: float = 0.125
    start: float = 1e-3

    def __post_init__(self) -> None:
        if not 0 <= self.fraction <= 1:
            raise invalid_argument("fraction", self.fraction, "a number from 0 to 1")

    def __call__(self, progress: float) -> float:
        """Return the value at this progress."""
        if progress >= self.fraction:
            return 1.0
        return self.start + (1.0 - self.start) * progress / self.fraction


@dataclass(frozen=True)
class Cosine:
    """Cosine decay from 1 to ``end``, after an optional linear warm-up.

    Parameters
    ----------
    end : float, default=0.0
        Last value.
    warmup : float, default=0.0
        Fraction of the training over which the value increases linearly from 0 to 1.

    See Also
    --------
    Warmup : A linear start.
    Constant : The same value always.

    Examples
    --------
    >>> Cosine()(0.0), round(Cosine()(0.5), 12), Cosine(warmup=0.5)(0.25)
    (1.0, 0.5, 0.5)
    """

    end: float = 0.0
    warmup: float = 0.0

    def __post_init__(self) -> None:
        if not 0 <= self.warmup < 1:
            raise invalid_argument("warmup", self.warmup, "a number of 0 or more, below 1")

    def __call__(self, progress: float) -> float:
        """Return the value at this progress."""
        if progress < self.warmup:
            return progress / self.warmup
        done = (progress - self.warmup) / (1.0 - self.warmup)
        return self.end + (1.0 - self.end) * 0.5 * (1.0 + math.cos(math.pi * done))
