"""Reconstruction of counts from the selected columns."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Self

import torch
from numpy.typing import NDArray
from torch import Tensor

from ipcae.arrays import Floats
from ipcae.errors import InputError
from ipcae.losses import Loss, NegativeBinomial, Poisson
from ipcae.rows import Rows
from ipcae.sources import Source, StreamedRows
from ipcae.tables import Scaler
from ipcae.tables.encodings.encoded_scaler import EncodedScaler
from ipcae.tasks.base import Metrics, Task
from ipcae.tasks.head import Head
from ipcae.text import percent


@dataclass(frozen=True, eq=False)
class CountReconstruction(Task):
    """Reconstruct columns of counts; the total of a row is an offset.

    The expected count of a column in a row is the column's mean times the total of the row,
    relative to the mean total. The decoder predicts the logarithm of the ratio to it.

    Shape: encoded targets (N, D + 1), the counts and their total; ``means`` (D,), the counts of a
    row with the mean total.
    """

    n_outputs: int
    means: Floats | None = None
    mean_total: float = 1.0
    dispersion: float | None = None

    name: ClassVar[str] = "count-reconstruction"
    supervised: ClassVar[bool] = False
    restores_rows: ClassVar[bool] = True
    losses: ClassVar[dict[str, Loss]] = {
        "poisson": Poisson(),
        "negative_binomial": NegativeBinomial(),
    }
    score = "d2"
    baseline_name = "the mean share of the total"

    @classmethod
    def read(cls, y: Any, X: Tensor, owner: str = "The selector") -> Task:
        """Check that the columns are counts; y is ignored.

        Rows that are read in parts are checked by :meth:`fitted`, which reads all of them.
        """
        if not isinstance(X, Source):
            _check_counts(X)
        return cls(n_outputs=X.shape[1])

    @classmethod
    def count_outputs(cls, n_features: int, asked: int | None) -> int:
        """Return the number of columns."""
        return n_features

    def encode(self, y: Any, X: Tensor, name: str = "y") -> Tensor:
        """Return the counts and the total of every row. Shape: -> (N, D + 1)."""
        _check_counts(X)
        return torch.cat([X, X.sum(1, keepdim=True).clamp(min=1)], 1)

    def fitted(self, training: Rows, scaler: Scaler | EncodedScaler, loss: Loss) -> Self:
        """Compute the mean of every column, and the dispersion if the loss needs it."""
        if isinstance(scaler, EncodedScaler):
            raise InputError(
                "Counts are reconstructed from plain numbers only: expected no categories and "
                "missing='error'. Encode or leave out the other columns."
            )
        sums = [(part.sum(0), totals.sum()) for part, totals in self.parts(training)]
        counts, total = (torch.stack(each).sum(0) for each in zip(*sums, strict=True))
        mean_total = float(total / len(training))
        # A column without counts is as rare as half a count in all rows.
        means = counts.clamp(min=0.5) / (total / mean_total)
        dispersion = None
        if isinstance(loss, NegativeBinomial):
            dispersion = loss.dispersion or self._dispersion(training, means, mean_total)
        return replace(
            self, means=means.cpu().numpy(), mean_total=mean_total, dispersion=dispersion
        )

    def parts(self, training: Rows) -> Iterator[tuple[Tensor, Tensor]]:
        """Yield the counts and the totals of the rows, all at once or as they are read.

        Shape: -> (n, D), (n, 1), in float64.
        """
        encoded: Iterable[Tensor] = (training.targets,)
        if isinstance(training, StreamedRows):
            encoded = (self.encode(None, block) for _, block in training.source.blocks())
        for part in encoded:
            yield part[:, :-1].double(), part[:, -1:].double()

    def _dispersion(self, training: Rows, means: Tensor, mean_total: float) -> float:
        excess = squares = torch.zeros((), dtype=torch.float64, device=means.device)
        for counts, totals in self.parts(training):
            expected = totals / mean_total * means
            excess = excess + ((counts - expected).square() - expected).sum()
            squares = squares + expected.square().sum()
        return max(float(excess / squares), 1e-3)

    def loss_for(self, loss: Any) -> Loss:
        """Turn a name or a loss into a loss, with the dispersion if it is known."""
        found = super().loss_for(loss)
        if isinstance(found, NegativeBinomial) and found.dispersion is None and self.dispersion:
            return NegativeBinomial(self.dispersion)
        return found

    def ranking_targets(self, targets: Tensor) -> Tensor:
        """Return nothing: there is no target besides the columns."""
        return targets[:, :0]

    def scaled(self, targets: Tensor) -> Tensor:
        """Return counts and expected counts. Shape: (N, D + 1) -> (N, 2 D)."""
        assert self.means is not None
        sizes = targets[:, -1:].double() / self.mean_total
        expected = sizes * torch.from_numpy(self.means).to(sizes.device)
        return torch.cat([targets[:, :-1].float(), expected.float()], 1)

    def predictions(self, outputs: Tensor) -> NDArray[Any]:
        """Return the counts of a row with the mean total. Shape: (N, D) -> (N, D)."""
        assert self.means is not None
        return outputs.exp().numpy() * self.means

    @property
    def head(self) -> Head:
        """The exponential, times the means of the columns."""
        return Head("reconstruction", activation="exp", factors=self.means, restores_columns=True)

    def metrics(self, outputs: Tensor, targets: Tensor) -> Metrics:
        """Compute the fraction of the deviance that is explained, D², and the mean deviance."""
        if not bool(outputs.isfinite().all()):
            return {"d2": float("nan"), "mean_deviance": float("nan")}
        deviance, null = self.deviances(outputs, targets)
        return {"d2": 1 - deviance / null if null > 0 else float("nan"), "mean_deviance": deviance}

    def deviances(self, outputs: Tensor, targets: Tensor) -> tuple[float, float]:
        """Return the mean deviance of the outputs, and that of the expected counts."""
        counts, expected = self.scaled(targets).double().chunk(2, -1)
        loss = NegativeBinomial(self.dispersion) if self.dispersion else Poisson()
        deviance, null = (
            2 * float(loss.deviance(counts, expected, ratio.double()).mean())
            for ratio in (outputs, torch.zeros_like(outputs))
        )
        return deviance, null

    def baseline(self, targets: Tensor) -> Tensor:
        """Return a log ratio of 0: the expected counts."""
        return torch.zeros(1, self.n_outputs, dtype=torch.float64)

    @property
    def purpose(self) -> str:
        """Mention the number of columns."""
        return f"to reconstruct the counts of all {self.n_outputs:,} of them"

    def finding(self, score: float) -> str:
        """Mention the percentage of explained deviance."""
        share = percent(score) if score > 0 else "none"
        return f"explains {share} of the deviance of all columns"


def _check_counts(X: Tensor) -> None:
    wrong = (X < 0) | (X.frac() != 0)
    if bool(wrong.any()):
        bad = X[wrong][0]
        raise InputError(
            f"X contains {float(bad):g}, which is not a count: expected integers from 0. For "
            "normalized values, use loss='squared_error'."
        )
