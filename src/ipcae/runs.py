"""The run axis: which runs train together, and one random stream for each of them.

A *run* is one model: a seed, a learning rate, a penalty weight. All runs of a batch train at once
on tensors whose first axis is the run, and what a run computes never depends on its company.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from ipcae.errors import InputError


@dataclass(frozen=True)
class Runs:
    """What distinguishes the R runs of a batch.

    >>> runs = Runs.of([11, 22], learning_rate=1e-3, penalty_weight=[0.0, 0.05])
    >>> len(runs), runs.learning_rates, runs.subset([1])
    (2, (0.001, 0.001), Runs(seeds=(22,), learning_rates=(0.001,), penalty_weights=(0.05,)))
    """

    seeds: tuple[int, ...]
    learning_rates: tuple[float, ...]
    penalty_weights: tuple[float, ...]

    @classmethod
    def of(
        cls,
        seeds: Sequence[int],
        learning_rate: float | Sequence[float] = 1e-3,
        penalty_weight: float | Sequence[float] = 0.0,
    ) -> Runs:
        """Give every run its seed, and one shared or one own value of the rest."""
        seeds = tuple(int(seed) for seed in seeds)
        if not seeds:
            raise InputError("No runs to train: expected at least one seed.")
        if not all(0 <= seed < 2**64 for seed in seeds):
            raise InputError(
                f"Seeds {seeds} are out of range: expected whole numbers from 0 to 2⁶⁴."
            )
        return cls(
            seeds,
            _one_each(learning_rate, len(seeds), "learning rate"),
            _one_each(penalty_weight, len(seeds), "penalty weight"),
        )

    def __len__(self) -> int:
        return len(self.seeds)

    def subset(self, keep: Sequence[int]) -> Runs:
        """Return the runs at the positions ``keep``."""
        return Runs(
            tuple(self.seeds[r] for r in keep),
            tuple(self.learning_rates[r] for r in keep),
            tuple(self.penalty_weights[r] for r in keep),
        )


def _one_each(value: float | Sequence[float], n_runs: int, name: str) -> tuple[float, ...]:
    values = np.atleast_1d(np.asarray(value, dtype=np.float64))
    if values.ndim != 1 or len(values) not in (1, n_runs):
        raise InputError(
            f"Got {values.size} values of the {name} for {n_runs} runs: "
            "give one number for all runs or one per run."
        )
    if not (np.isfinite(values) & (values >= 0)).all():
        raise InputError(f"The {name} is {value}: expected finite numbers, not negative.")
    return tuple(float(v) for v in np.broadcast_to(values, (n_runs,)))


INITIAL = 2**63  # the step whose numbers initialize the parameters
ROW_ORDER = 1  # the purpose of a stream that shuffles rows; 0 is everything a run draws


class Stream:
    """Random numbers of one step, a pure function of (run seed, step, how many draws came before).

    Every draw returns a tensor of shape (R, *shape) whose slice r depends on seed r alone.
    The generator is Philox, counter-based: nothing is carried from step to step.

    >>> alone = Stream([22], step=3).normal(2)
    >>> among = Stream([11, 22, 33], step=3).normal(2)
    >>> torch.equal(alone[0], among[1])
    True
    """

    def __init__(
        self,
        seeds: Sequence[int],
        step: int = INITIAL,
        device: torch.device | str = "cpu",
        purpose: int = 0,
    ):
        self.seeds = tuple(seeds)
        self.step = step
        self.purpose = purpose
        self.device = torch.device(device)
        self._draws = 0

    def normal(self, *shape: int) -> Tensor:
        """Standard normal numbers, drawn on the CPU: the same on every device."""
        return self._on_host(lambda rng: rng.standard_normal(shape, dtype=np.float32))

    def uniform(self, *shape: int) -> Tensor:
        """Numbers uniform in [0, 1), drawn on the CPU: the same on every device."""
        return self._on_host(lambda rng: rng.random(shape, dtype=np.float32))

    def bits(self, *shape: int) -> Tensor:
        """32 random bits each, as int32, drawn on the stream's own device."""
        size = int(np.prod(shape))
        out = torch.empty((len(self.seeds), size), dtype=torch.int32, device=self.device)
        if self.device.type == "cpu":
            for words, generator in zip(out.numpy(), self._generators(), strict=True):
                words[:] = generator.random_raw((size + 1) // 2).view(np.int32)[:size]
        else:
            on_device = torch.Generator(self.device)
            for words, generator in zip(out.unbind(), self._generators(), strict=True):
                on_device.manual_seed(int(generator.random_raw() >> 1))
                words.random_(-(2**31), 2**31, generator=on_device)
        return out.view(-1, *shape)

    def keep(self, probability: float, *shape: int) -> Tensor:
        """Return True with the given probability (to 2⁻³²), for dropout."""
        return self.bits(*shape) < min(round(probability * 2**32) - 2**31, 2**31 - 1)

    def _on_host(self, draw: object) -> Tensor:
        numbers = [draw(np.random.Generator(g)) for g in self._generators()]  # type: ignore[operator]
        return torch.from_numpy(np.stack(numbers)).to(self.device)

    def _generators(self) -> list[np.random.Philox]:
        counter = np.array([0, self.step, self._draws, 0], dtype=np.uint64)
        self._draws += 1
        keys = (np.array([seed, self.purpose], dtype=np.uint64) for seed in self.seeds)
        return [np.random.Philox(counter=counter, key=key) for key in keys]
