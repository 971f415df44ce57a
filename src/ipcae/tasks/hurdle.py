"""Reconstruction of counts from binarized inputs."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, ClassVar, Self

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from ipcae.arrays import Floats
from ipcae.losses import Hurdle, Loss
from ipcae.rows import Rows
from ipcae.tables import Scaler
from ipcae.tables.encodings.encoded_scaler import EncodedScaler
from ipcae.tasks.base import Task
from ipcae.tasks.counts import CountReconstruction
from ipcae.tasks.head import Head


@dataclass(frozen=True, eq=False)
class HurdleReconstruction(CountReconstruction):
    """Reconstruct counts from binarized columns: whether they are above zero, and how much.

    What is detected with one technology is detected with another, whereas the levels differ. The
    inputs of the network are therefore 1 for counts above zero and 0 otherwise.

    Shape: ``rates`` (2, D): a and b of :class:`~ipcae.losses.Hurdle` for a row with the mean total;
    outputs (N, 2 D).
    """

    rates: Floats | None = None

    name: ClassVar[str] = "hurdle-reconstruction"
    binary_inputs: ClassVar[bool] = True
    losses: ClassVar[dict[str, Loss]] = {"hurdle": Hurdle()}
    baseline_name = "the mean detection and level"

    @classmethod
    def read(cls, y: Any, X: Tensor, owner: str = "The selector") -> Task:
        """Check that the columns are counts; y is ignored."""
        counts = super().read(y, X, owner)
        return cls(n_outputs=2 * counts.n_outputs)

    @classmethod
    def count_outputs(cls, n_features: int, asked: int | None) -> int:
        """Return twice the number of columns."""
        return 2 * n_features

    def fitted(self, training: Rows, scaler: Scaler | EncodedScaler, loss: Loss) -> Self:
        """Estimate the rate of detection and the level of every column."""
        known = super().fitted(training, scaler, loss)
        sums = []
        for counts, totals in self.parts(training):
            sizes, found = totals / known.mean_total, counts > 0
            sums.append((found.sum(0), ((counts - 1) * found).sum(0), (sizes * found).sum(0)))
        n_found, rest, size = (torch.stack(each).sum(0) for each in zip(*sums, strict=True))
        # Between half a row with a count and half a row without.
        least = 0.5 / (len(training) + 1)
        detected = (n_found.double() / len(training)).clamp(least, 1 - least)
        level = rest.clamp(min=0.5) / size.clamp(min=0.5)
        rates = torch.stack([-torch.log1p(-detected), level])
        return replace(known, rates=rates.cpu().numpy())

    def scaled(self, targets: Tensor) -> Tensor:
        """Return counts and expectations. Shape: (N, D + 1) -> (N, 3 D)."""
        assert self.rates is not None
        sizes = targets[:, -1:].double() / self.mean_total
        expected = [sizes * torch.from_numpy(rate).to(sizes.device) for rate in self.rates]
        return torch.cat([targets[:, :-1].float(), *(part.float() for part in expected)], 1)

    def predictions(self, outputs: Tensor) -> NDArray[Any]:
        """Return the expected counts of a row with the mean total. Shape: (N, 2 D) -> (N, D)."""
        assert self.rates is not None
        rate, level = (
            np.exp(part.numpy()) * factors
            for part, factors in zip(outputs.chunk(2, -1), self.rates, strict=True)
        )
        return np.asarray(-np.expm1(-rate) * (1 + level))

    @property
    def head(self) -> Head:
        """The probability of a count, times its expectation."""
        assert self.rates is not None
        factors = self.rates.ravel()
        return Head("reconstruction", activation="hurdle", factors=factors, restores_columns=True)

    def deviances(self, outputs: Tensor, targets: Tensor) -> tuple[float, float]:
        """Return the mean deviance of the outputs, and that of the expectations."""
        known = self.scaled(targets).double()
        deviance, null = (
            2 * float(Hurdle().deviance(each.double(), known).mean())
            for each in (outputs, torch.zeros_like(outputs))
        )
        return deviance, null

    @property
    def purpose(self) -> str:
        """Mention the number of columns."""
        return f"to reconstruct the counts of all {self.n_outputs // 2:,} of them"
