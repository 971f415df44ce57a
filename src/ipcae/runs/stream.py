"""Random numbers of a training step, independent for each run.

They come from NumPy's Philox generator on the CPU and from a Philox kernel on a GPU. Both are
counter-based: a number is a pure function of the run's seed, the step and the position in the draw.
"""

from __future__ import annotations

import copy
import math
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from ipcae.optional import has_triton
from ipcae.runs.philox_counter import DeviceStep, PhiloxCounter
from ipcae.runs.seeds import are_repeated, philox_key, positions_of, seeds_on
from ipcae.runs.shared_draws import shared_draws
from ipcae.runs.thread_generator import generator_at

_WORTH_THREADS = 2**18  # minimum number of elements to draw in several threads
INITIAL = 2**63  # step number of the initialization of the parameters
ROW_ORDER = 1  # purpose of the streams that shuffle rows; all others have purpose 0


@dataclass(frozen=True)
class BatchPart:
    """The rows of a batch that this process has: ``n_rows`` in the batch, ``first`` before them."""

    first: int
    n_rows: int


class Stream:
    """Random numbers of one step: a pure function of run seed, step and number of earlier draws.

    Every draw returns a tensor of shape (R, *shape) whose slice r depends only on seed r. The
    generator is counter-based, so no state is carried from step to step.

    >>> alone = Stream([22], step=3).normal(2)
    >>> among = Stream([11, 22, 33], step=3).normal(2)
    >>> torch.equal(alone[0], among[1])
    True

    With a ``part``, the rows of a batch are divided among processes. What is drawn per row is then
    what these rows get in the whole batch, on the CPU, and differs between the parts, on a GPU.
    """

    def __init__(
        self,
        seeds: Sequence[int],
        step: int | DeviceStep = INITIAL,
        device: torch.device | str = "cpu",
        purpose: int = 0,
        part: BatchPart | None = None,
    ):
        self.seeds = tuple(seeds)
        self.step = step
        self.purpose = purpose
        self.device = torch.device(device)
        self.part = part
        self._draws = 0
        self._skipped = (0, 0)  # items that the next draw leaves out, and numbers of an item

    def normal(self, *shape: int) -> Tensor:
        """Draw standard normal numbers on the CPU: the same on every device."""
        return self._on_host(np.random.Generator.standard_normal, shape)

    def uniform(self, *shape: int) -> Tensor:
        """Draw numbers uniform in [0, 1) on the CPU: the same on every device."""
        return self._on_host(np.random.Generator.random, shape)

    def bits(self, *shape: int) -> Tensor:
        """Draw 32 random bits per element, as int32, on the stream's device."""
        size = math.prod(shape)
        if self.device.type == "cpu" and not isinstance(self.step, DeviceStep):
            skipped = math.prod(self._skipped) % 8
            drawn: dict[int, NDArray[np.int32]] = {}  # once for runs with the same seed
            counter = self._next_position()
            for seed in dict.fromkeys(self.seeds):
                generator = generator_at(counter, philox_key(seed, self.purpose))
                words = generator.random_raw((skipped + size + 1) // 2).view(np.int32)
                drawn[seed] = words[skipped:][:size]
            first, *others = (drawn[seed] for seed in self.seeds)
            together = np.stack([first, *others]) if others else first
            return torch.from_numpy(together).view(-1, *shape)
        out = torch.empty((len(self.seeds), size), dtype=torch.int32, device=self.device)
        if has_triton():
            from ipcae.runs.bits_triton import fill_bits

            fill_bits(out, self.next_counter())
        else:
            on_device = torch.Generator(self.device)
            for row, generator in zip(out.unbind(), self._generators(), strict=True):
                on_device.manual_seed(int(generator.random_raw() >> 1))
                row.random_(-(2**31), 2**31, generator=on_device)
        return out.view(-1, *shape)

    def row_bits(self, *shape: int) -> Tensor:
        """Draw as :meth:`bits`; the first axis of the shape is the row."""
        if self.part is not None:
            return self.next_draw(self.part.first, math.prod(shape[1:])).bits(*shape)
        return self.bits(*shape)

    def bits_in_pieces(self) -> list[Callable[[int], Tensor]]:
        """Return a function per run that generates one draw of bits in pieces, on the CPU.

        ``draw(n)`` returns the next ``n`` elements. The concatenated pieces equal :meth:`bits` if
        every ``n`` except for the last is even.
        """
        skipped = math.prod(self._skipped) % 8

        def source(generator: np.random.Philox) -> Callable[[int], Tensor]:
            # An odd number of skipped elements leaves half of a word to the next piece.
            rest = generator.random_raw((skipped + 1) // 2).view(np.int32)[skipped:]

            def pieces(size: int) -> Tensor:
                nonlocal rest
                words = generator.random_raw((size - len(rest) + 1) // 2).view(np.int32)
                if not len(rest):
                    return torch.from_numpy(words[:size])
                words = np.concatenate([rest, words])
                rest = words[size:]
                return torch.from_numpy(words[:size])

            return pieces

        return [source(generator) for generator in self._generators()]

    def keep(self, probability: float, *shape: int) -> Tensor:
        """Draw booleans that are True with the given probability (to 2⁻¹⁶), for dropout.

        The first axis of the shape is the row.
        """
        *rows, width = shape
        return _Below(probability, width).mask(self.row_bits(*rows, -(-width // 2)))

    def distinct(
        self, function: Callable[[Tensor], Tensor], *shape: int
    ) -> tuple[Tensor, Tensor | None]:
        """Draw as :meth:`bits`, but once for runs with the same seed, and apply a function to it.

        Returns the values of every distinct seed, and the position of every run in them; None if
        all seeds are distinct. On the CPU, trainings in other threads may share the values
        (:func:`ipcae.runs.shared_draws.sharing_draws`): they must not be changed in place.

        >>> halves, positions = Stream([7, 5, 7]).distinct(lambda bits: bits / 2, 3)
        >>> torch.equal(halves[positions], Stream([7, 5, 7]).bits(3) / 2)
        True
        """
        seeds = tuple(dict.fromkeys(self.seeds))
        once = Stream(seeds, self.step, self.device, self.purpose)
        once._draws, once._skipped = self._draws, self._skipped
        self._draws += 1
        shared = shared_draws()
        if shared is None or self.device.type != "cpu":
            return function(once.bits(*shape)), positions_of(self.seeds)
        key = seeds, self.step, self.purpose, once._draws, once._skipped, function, shape
        return shared.get(key, lambda: function(once.bits(*shape))), positions_of(self.seeds)

    def keep_distinct(self, probability: float, *shape: int) -> Tensor:
        """Draw as :meth:`keep`, but once for runs with the same seed if it can.

        True is 1 / probability and False is 0, so that the mean is 1. If the seeds are S distinct
        ones, repeated in the same order, the result has one entry for each of them; otherwise, one
        for every run. Shape: -> (S, *shape) or (R, *shape).
        """
        *rows, width = shape
        factors, positions = self.distinct(_Below(probability, width), *rows, -(-width // 2))
        if positions is None or are_repeated(self.seeds):
            return factors
        return factors.index_select(0, positions)

    def next_draw(self, first: int, size: int) -> Stream:
        """Return a stream for the next draw, which leaves out the first items of ``size`` numbers.

        This stream continues with the draw after it.

        >>> whole = Stream([7], step=0).bits(5, 3)
        >>> rest = Stream([7], step=0).next_draw(2, size=3).bits(3, 3)
        >>> torch.equal(whole[:, 2:], rest)
        True
        """
        other = copy.copy(self)
        other.part, other._skipped = None, (first, size)
        self._draws += 1
        return other

    def next_counter(self) -> PhiloxCounter:
        """Return the counter of the next draw, and advance the stream."""
        step = self.step
        if not isinstance(step, DeviceStep):
            folded = (step ^ (step >> 32)) % 2**32
            step = DeviceStep(torch.full((), folded, dtype=torch.int64, device=self.device))
        self._draws += 1
        draw = self._draws - 1 + (self.purpose << 16) + (self._skipped[0] % 2**13 << 18)
        return PhiloxCounter(seeds_on(self.seeds, self.device), step.base, step.offset, draw)

    def _on_host(self, draw: Callable[..., object], shape: tuple[int, ...]) -> Tensor:
        generators = [np.random.Generator(generator) for generator in self._generators()]
        # Pinned memory is copied faster, and PyTorch keeps it for the next draws.
        pinned = self.device.type == "cuda"
        drawn = torch.empty((len(generators), *shape), dtype=torch.float32, pin_memory=pinned)
        numbers = drawn.numpy()

        def fill(run: int) -> None:
            draw(generators[run], dtype=np.float32, out=numbers[run : run + 1])

        if numbers.size < _WORTH_THREADS:
            for run in range(len(generators)):
                fill(run)
        else:
            with ThreadPoolExecutor(torch.get_num_threads()) as pool:
                list(pool.map(fill, range(len(generators))))
        return drawn.to(self.device, non_blocking=pinned)

    def _generators(self) -> list[np.random.Philox]:
        counter = self._next_position()
        return [
            np.random.Philox(counter=counter, key=philox_key(seed, self.purpose))
            for seed in self.seeds
        ]

    def _next_position(self) -> NDArray[np.uint64]:
        """Return the counter of the next draw on the host, and advance the stream."""
        if isinstance(self.step, DeviceStep):
            raise RuntimeError(
                "Numbers cannot be drawn on the host: the step number is in device memory."
            )
        # The generator returns eight elements per counter.
        first = math.prod(self._skipped) // 8
        self._draws += 1
        return np.array([first, self.step, self._draws - 1, 0], dtype=np.uint64)


@dataclass(frozen=True)
class _Below:
    """Turns random bits, two numbers of 16 bits in each, into which of them are kept.

    Shape: (..., (width + 1) // 2) -> (..., width).
    """

    probability: float
    width: int

    def mask(self, bits: Tensor) -> Tensor:
        return self._halves(bits) < self._limit

    def __call__(self, bits: Tensor) -> Tensor:
        halves = self._halves(bits)
        below = torch.lt(halves, self._limit, out=torch.empty(halves.shape, device=bits.device))
        return below.mul_(1 / self.probability)

    def _halves(self, bits: Tensor) -> Tensor:
        return bits.view(torch.int16)[..., : self.width]

    @property
    def _limit(self) -> int:
        return min(round(self.probability * 2**16) - 2**15, 2**15 - 1)
