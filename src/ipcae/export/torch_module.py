"""Export of a fitted selector to an ``nn.Module``."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor, nn

from ipcae.errors import InputError
from ipcae.export.network import Network, network_of
from ipcae.tables import DETECTED, Scaler
from ipcae.tables.encodings.expansion import GAP, LEVEL, Expansion
from ipcae.torch_settings import with_default_torch_settings


@with_default_torch_settings
def to_torch(selector: Any, input: str = "all") -> nn.Module:
    """Return a module that maps rows to probabilities, predictions, risks or reconstructions.

    It consists of PyTorch layers and can be moved, trained further and compiled; a file written by
    ``torch.export.save`` runs without ipcae. Inputs and outputs are scaled in the precision of the
    rows, which is also that of the result, or in float64 if the rows are integers or booleans; the
    decoder uses float32 unless ``.double()`` is called. The tensors are copies.

    Parameters
    ----------
    selector : selector
        A fitted selector, such as a ClassificationSelector. The best run is exported; ``with_run``
        chooses another.
    input : "all" or "selected"
        Whether rows have all D columns, or only the selected ones, as returned by ``transform``.

    Returns
    -------
    nn.Module
        Shape: (N, D) or (N, K) -> (N, classes), (N, labels), (N,), (N, targets) or (N, D).

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from ipcae import ClassificationSelector
    >>> X, y = load_iris(return_X_y=True)
    >>> selector = ClassificationSelector(2, max_epochs=5, decoder=(8,), random_state=0).fit(X, y)
    >>> module = to_torch(selector, input="selected")
    >>> module(torch.from_numpy(selector.transform(X))).shape
    torch.Size([150, 3])
    """
    return SelectorModule(network_of(selector, input)).eval()


class SelectorModule(nn.Module):
    """Select columns, scale, decode, and return probabilities or values in original units."""

    columns: Tensor
    factors: Tensor | None

    def __init__(self, network: Network):
        super().__init__()
        self.n_inputs = len(network.input_names)
        self.activation = network.head.activation
        self.squeeze = network.head.squeeze
        self.n_outputs = network.head.n_outputs
        factors = network.head.factors
        self.register_buffer("factors", None if factors is None else torch.from_numpy(factors))
        self.register_buffer("columns", torch.tensor(network.columns))
        self.expand = None if network.expansion is None else Expand(network.expansion)
        self.scale = Scale(network.scaler)
        self.decoder = network.decoder
        scaler = network.head.scaler
        self.unscale = None if scaler is None else Unscale(scaler)

    def forward(self, rows: Tensor) -> Tensor:
        """Shape: rows (N, D) or (N, K) -> (N, ...)."""
        if rows.ndim != 2 or rows.shape[1] != self.n_inputs:
            raise InputError(
                f"The rows have shape {tuple(rows.shape)}: expected (N, {self.n_inputs}). A module "
                "of to_torch(input='all') reads all columns of X, in their order, and one of "
                "to_torch(input='selected') the columns of transform(X)."
            )
        if not rows.is_floating_point():
            rows = rows.to(torch.float64)
        selected = rows.index_select(1, self.columns)
        if self.expand is not None:
            selected = self.expand(selected)
        outputs = self.decoder(self.scale(selected))
        if self.n_outputs is not None:
            outputs = outputs[:, : self.n_outputs]
        if self.activation == "softmax":
            return outputs.softmax(-1).to(rows.dtype)
        if self.activation == "sigmoid":
            return outputs.sigmoid().to(rows.dtype)
        values = outputs.to(rows.dtype)
        if self.factors is not None:
            values = values.exp() * self.factors.to(values)
            if self.activation == "hurdle":
                rate, level = values.chunk(2, -1)
                values = -torch.expm1(-rate) * (1 + level)
            return values
        if self.unscale is not None:
            values = self.unscale(values)
        return values.squeeze(1) if self.squeeze else values


class Expand(nn.Module):
    """One-hot levels and marks of gaps, as :class:`Expansion`."""

    owner: Tensor
    is_level: Tensor
    is_gap: Tensor
    level: Tensor
    fill: Tensor

    def __init__(self, expansion: Expansion):
        super().__init__()
        self.register_buffer("owner", torch.from_numpy(expansion.owner))
        self.register_buffer("is_level", torch.from_numpy(expansion.role == LEVEL))
        self.register_buffer("is_gap", torch.from_numpy(expansion.role == GAP))
        self.register_buffer("level", torch.from_numpy(expansion.level))
        self.register_buffer("fill", torch.from_numpy(expansion.fill))

    def forward(self, rows: Tensor) -> Tensor:
        """Shape: (N, K) -> (N, E)."""
        taken = rows.index_select(1, self.owner)
        gaps = taken.isnan()
        values = torch.where(self.is_level, (taken == self.level).to(rows), taken)
        values = torch.where(gaps, self.fill.to(rows), values)
        return torch.where(self.is_gap, gaps.to(rows), values)


class Scale(nn.Module):
    """x ↦ (x − center) / scale in the precision of x, converted to that of the module."""

    center: Tensor
    scale: Tensor
    like: Tensor

    def __init__(self, scaler: Scaler):
        super().__init__()
        self.active = scaler.kind != "none"
        self.detects = scaler.kind == DETECTED
        self.register_buffer("center", scaler.center.clone())
        self.register_buffer("scale", scaler.scale.clone())
        # Converted by .double() and .float(), to track the type of the decoder.
        self.register_buffer("like", torch.zeros(()), persistent=False)

    def forward(self, rows: Tensor) -> Tensor:
        """Shape: (N, K) -> (N, K)."""
        if self.detects:
            rows = rows > 0
        elif self.active:
            rows = (rows - self.center.to(rows)) / self.scale.to(rows)
        # Always round to float32, which the decoder was trained on.
        return rows.to(torch.float32).to(self.like.dtype)


class Unscale(nn.Module):
    """z ↦ z · scale + center."""

    center: Tensor
    scale: Tensor

    def __init__(self, scaler: Scaler):
        super().__init__()
        self.register_buffer("center", scaler.center.clone())
        self.register_buffer("scale", scaler.scale.clone())

    def forward(self, values: Tensor) -> Tensor:
        """Shape: (N, O) -> (N, O)."""
        return values * self.scale.to(values) + self.center.to(values)
