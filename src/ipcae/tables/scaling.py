"""Scaling of columns."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch import Tensor

from ipcae.sources import Summary
from ipcae.tables.tensors import shared

SCALES = ("auto", "standard", "common", "minmax")
DETECTED = "detected"
"""The kind of scaler that maps a value to whether it is above zero."""

# If the largest range exceeds the lower quartile of the ranges, or the smallest range, by these
# factors, the columns probably have different units. (The range of a pixel with 256 levels that is
# almost always black may be 255 times smaller than those of the others.)
_TIMES_QUARTILE, _TIMES_SMALLEST = 10.0, 300.0
# Squares of numbers outside these overflow or vanish, sums of float32 outside those.
_LARGEST = torch.finfo(torch.float64).max
_FLOAT64, _FLOAT32 = (2.0**-500, 2.0**500), (2.0**-100, 2.0**100)


@dataclass(frozen=True)
class Scaler:
    """x ↦ (x − center) / scale, column by column; of the kind "detected", 1 if x > 0, else 0.

    Shape: center (D,); scale (D,), never zero.
    """

    kind: str
    center: Tensor
    scale: Tensor

    def __getstate__(self) -> dict[str, Any]:
        """Store tensors as arrays, which skops and other tools can save."""
        return {"kind": self.kind, "center": self.center.numpy(), "scale": self.scale.numpy()}

    def __setstate__(self, state: dict[str, Any]) -> None:
        for name, value in state.items():
            object.__setattr__(self, name, value if name == "kind" else shared(value))

    @property
    def plain(self) -> Scaler:
        """The scaler of one number per column: this one."""
        return self

    def apply(self, rows: Tensor) -> Tensor:
        """Scale in the precision of the rows; return float32. Shape: (N, D) -> (N, D)."""
        return self.prepared(rows.dtype, rows.device)(rows)

    def prepared(self, dtype: torch.dtype, device: torch.device) -> Callable[[Tensor], Tensor]:
        """Return :meth:`apply` for rows of one type on one device, copied to it only once."""
        if self.kind == "none":
            return lambda rows: rows.to(torch.float32)
        if self.kind == DETECTED:
            return lambda rows: (rows > 0).to(torch.float32)
        if dtype == torch.float32 and bool(_outside(self.scale, _FLOAT32).any()):
            dtype = torch.float64
        center, scale = (each.to(device, dtype) for each in (self.center, self.scale))
        return lambda rows: (rows.to(dtype) - center).div_(scale).to(torch.float32)

    def targets(self, rows: Tensor) -> Tensor:
        """Scale rows that are to be reconstructed."""
        return self.apply(rows)

    def invert(self, values: Tensor) -> Tensor:
        """Convert to the original units, in float64. Shape: (..., D) -> (..., D)."""
        values = values.to(torch.float64)
        return values * self.scale.to(values) + self.center.to(values)

    def columns(self, index: Tensor) -> Scaler:
        """Return the scaler of some of the columns."""
        return Scaler(self.kind, self.center[index], self.scale[index])


def fit_scaler(rows: Tensor, scale: str | None) -> Scaler:
    """Fit a scaler to rows of shape (N, D).

    - ``"standard"``: mean 0 and standard deviation 1 for every column.
    - ``"common"``: mean 0 for every column and one scale for all, which preserves the relative
      variances of columns in the same unit, such as pixels.
    - ``"auto"``: ``"common"`` if the largest range of a column is at most ten times the lower
      quartile of all ranges and 300 times the smallest, else ``"standard"``.
    - ``"minmax"``: from 0 to 1.
    - ``None``: no scaling.

    >>> fit_scaler(torch.tensor([[0.0, 0.0], [2.0, 1e6]]), "auto").kind
    'standard'
    """
    if scale is None:
        zeros = torch.zeros(rows.shape[1], dtype=torch.float64)
        return Scaler("none", zeros, zeros + 1)
    if scale == "minmax":
        low, high = rows.amin(0).double().cpu(), rows.amax(0).double().cpu()
        return Scaler("minmax", low, _nonzero((high - low).clamp(max=_LARGEST)))
    mean, deviation = _moments(rows)
    return _centered(scale, rows.amin(0), rows.amax(0), mean, deviation)


def scaler_of(summary: Summary, scale: str | None) -> Scaler:
    """Fit a scaler to rows that were summarized in one pass, as :func:`fit_scaler` does.

    >>> rows = torch.tensor([[0.0, 0.0], [2.0, 1e6]])
    >>> scaler_of(Summary.of(rows), "auto").scale
    tensor([1.0000e+00, 5.0000e+05], dtype=torch.float64)
    """
    if scale is None or scale == "minmax":
        return fit_scaler(summary.extremes, scale)
    return _centered(scale, summary.low, summary.high, summary.mean, summary.deviation)


def _centered(scale: str, low: Tensor, high: Tensor, mean: Tensor, deviation: Tensor) -> Scaler:
    """Return a scaler with the means as centers. Shape: (D,) each."""
    varying = deviation[deviation > 0]
    if scale == "auto":
        scale = "common" if _ranges_alike(low, high) else "standard"
    if scale == "common":
        deviation = _nonzero(_root_mean_square(varying)).expand_as(deviation)
    return Scaler(scale, mean, _nonzero(deviation).clone())


def detected_scaler(n_columns: int) -> Scaler:
    """Return a scaler that maps values above zero to 1, and others to 0.

    >>> detected_scaler(2).apply(torch.tensor([[0.0, 7.0]]))
    tensor([[0., 1.]])
    """
    zeros = torch.zeros(n_columns, dtype=torch.float64)
    return Scaler(DETECTED, zeros, zeros + 1)


def robust_scaler(values: Tensor) -> Scaler:
    """Fit a scaler that is robust to outliers: median 0, quartiles of a standard normal.

    >>> scaler = robust_scaler(torch.tensor([[0.0], [1.0], [2.0], [3.0], [1e9]]))
    >>> scaler.center.item(), round(scaler.scale.item(), 2)
    (2.0, 1.48)
    """
    units = _units(values).cpu()
    known = (values.double().cpu() / units).numpy()
    low, median, high = torch.from_numpy(np.quantile(known, [0.25, 0.5, 0.75], axis=0))
    median, spread = median * units, (high - low) / 1.349 * units
    # More than half of the values may be equal.
    return Scaler(
        "robust", median, torch.where(spread > 0, spread, fit_scaler(values, "standard").scale)
    )


def _ranges_alike(low: Tensor, high: Tensor) -> bool:
    ranges = high.double() / 2 - low.double() / 2
    ranges = ranges[ranges > 0].sort().values
    if len(ranges) == 0:
        return True
    quartile, smallest = ranges[(len(ranges) - 1) // 4], ranges[0]
    return bool(ranges[-1] <= torch.minimum(_TIMES_QUARTILE * quartile, _TIMES_SMALLEST * smallest))


def _moments(rows: Tensor) -> tuple[Tensor, Tensor]:
    """Return the mean and the standard deviation of every column. Shape: -> (D,), (D,)."""
    constant = rows.amin(0) == rows.amax(0)
    units = _units(rows)
    if bool((units != 1).any()):
        rows = rows / units
    mean = _mean(rows)
    # A mean is rounded, so that constant columns would seem to vary a little.
    deviation = torch.where(constant, 0.0, _deviation(rows, mean))
    return (mean * units).cpu(), (deviation * units).cpu()


def _units(rows: Tensor) -> Tensor:
    """Return a power of two for every column in which its squares are moderate, mostly 1."""
    largest = torch.maximum(rows.amin(0).abs(), rows.amax(0).abs()).double()
    extreme = (largest > 0) & _outside(largest, _FLOAT64)
    exponent = torch.frexp(largest).exponent - 1
    return torch.where(extreme, exponent.double().exp2(), 1.0)


def _outside(values: Tensor, limits: tuple[float, float]) -> Tensor:
    return (values < limits[0]) | (values > limits[1])


def _root_mean_square(values: Tensor) -> Tensor:
    if len(values) == 0:
        return torch.zeros((), dtype=torch.float64)
    unit = _units(values[:, None])
    return (values / unit).square().mean().sqrt() * unit[0]


def _mean(rows: Tensor) -> Tensor:
    # PyTorch copies the rows to float64, so convert only some columns at a time.
    blocks = rows.split(max(2**23 // len(rows), 1), dim=1)
    return torch.cat([block.mean(0, dtype=torch.float64) for block in blocks])


def _deviation(rows: Tensor, mean: Tensor) -> Tensor:
    total = torch.zeros_like(mean)
    for part in rows.split(min(4096, max(2**22 // max(rows.shape[1], 1), 1))):
        total += (part - mean).square().sum(0)
    return (total / len(rows)).sqrt()


def _nonzero(scale: Tensor) -> Tensor:
    return torch.where(scale > 0, scale, torch.ones_like(scale))
