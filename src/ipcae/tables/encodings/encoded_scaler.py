"""Scaling of coded rows: expand the columns, then scale them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from ipcae.tables.encodings.expansion import VALUE, Expansion
from ipcae.tables.scaling import Scaler, fit_scaler


@dataclass(frozen=True, eq=False)
class EncodedScaler:
    """A :class:`Scaler` of coded rows.

    Shape: coded rows (N, D) become scaled rows (N, E).
    """

    expansion: Expansion
    scaler: Scaler

    @classmethod
    def fit(cls, expansion: Expansion, rows: Tensor, scale: str | None) -> EncodedScaler:
        """Fit to coded rows.

        Numbers are scaled as ``scale`` says. Levels and gaps, which are 0 or 1, are centered and
        divided by 1/2, the largest standard deviation that they can have, so that rare ones do not
        become large.
        """
        expanded = expansion.apply(rows)
        center = expanded.double().mean(0).cpu()
        size = torch.full_like(center, 0.5)
        if scale == "minmax":
            center, size = torch.zeros_like(center), torch.ones_like(center)
        values = torch.from_numpy(expansion.role == VALUE)
        fitted = fit_scaler(expanded[:, values.to(rows.device)], scale)
        center[values], size[values] = fitted.center, fitted.scale
        return cls(expansion, Scaler(fitted.kind, center, size))

    @property
    def kind(self) -> str:
        """How numbers are scaled."""
        return self.scaler.kind

    @property
    def center(self) -> Tensor:
        """The center of every column, 0 for categories. Shape: (D,)."""
        return self._by_column(self.scaler.center, 0.0)

    @property
    def scale(self) -> Tensor:
        """The scale of every column, 1 for categories. Shape: (D,)."""
        return self._by_column(self.scaler.scale, 1.0)

    @property
    def plain(self) -> Scaler:
        """The scaler of one number per column, which leaves the codes of categories as they are."""
        return Scaler(self.kind, self.center, self.scale)

    def _by_column(self, values: Tensor, default: float) -> Tensor:
        found = torch.full((self.expansion.n_columns,), default, dtype=torch.float64)
        places = np.flatnonzero(self.expansion.role == VALUE)
        found[self.expansion.owner[places]] = values[places].double()
        return found

    def apply(self, rows: Tensor) -> Tensor:
        """Expand and scale. Shape: (N, D) -> (N, E), float32."""
        return self.scaler.apply(self.expansion.apply(rows))

    def targets(self, rows: Tensor) -> Tensor:
        """Expand and scale; what was not measured is NaN. Shape: (N, D) -> (N, E), float32."""
        return torch.where(self.expansion.observed(rows), self.apply(rows), torch.nan)

    def invert(self, values: Tensor) -> Tensor:
        """Return coded rows in their original units, in float64. Shape: (N, E) -> (N, D)."""
        return self.expansion.collapse(self.scaler.invert(values))

    def columns(self, index: Tensor) -> EncodedScaler:
        """Return the scaler of some of the coded columns."""
        which = index.tolist()
        places = [np.flatnonzero(self.expansion.owner == column) for column in which]
        expanded = torch.from_numpy(np.concatenate(places))
        return EncodedScaler(self.expansion.columns(which), self.scaler.columns(expanded))
