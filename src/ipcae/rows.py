"""Rows with targets, weights and groups, for training or evaluation."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Self

import torch
from torch import Tensor

from ipcae.arrays import Integers


@dataclass(frozen=True)
class Rows:
    """N rows with targets, weights and groups; weights may be separate for every run of a batch.

    Weights per run determine which rows a run learns from: a row of weight 0 does not count, as in
    the folds of a cross-validation. Without ``given_targets``, the inputs are the targets, as for
    reconstruction; they are stored only once.

    Parameters
    ----------
    inputs : Tensor of shape (N, D)
    given_targets : Tensor of shape (N, ...), optional
    weights : Tensor of shape (N,) or (R, N), optional
    groups : Tensor of shape (N,), optional
        Number of the group of every row, such as a patient with several samples.

    Examples
    --------
    >>> rows = Rows(torch.arange(6.0).view(3, 2), torch.arange(3))
    >>> rows.take(slice(2)).targets
    tensor([0, 1])
    >>> folds = Rows(rows.inputs, rows.targets, torch.tensor([[0.0, 1.0, 1.0], [1.0, 1.0, 0.0]]))
    >>> folds.of_runs([1]).take(slice(1, 3)).weights
    tensor([[1., 0.]])
    """

    inputs: Tensor
    given_targets: Tensor | None = None
    weights: Tensor | None = None
    groups: Tensor | None = None

    @property
    def streamed(self) -> bool:
        """Whether the rows are read in parts (:class:`ipcae.sources.StreamedRows`)."""
        return False

    @property
    def targets(self) -> Tensor:
        """The given targets, or the inputs."""
        return self.inputs if self.given_targets is None else self.given_targets

    @property
    def differ(self) -> bool:
        """Whether runs have their own weights."""
        return self.weights is not None and self.weights.ndim == 2

    def __len__(self) -> int:
        return len(self.inputs)

    def take(self, which: Tensor | slice) -> Rows:
        """Return the rows of a slice, or with these indices."""

        def taken(tensor: Tensor, axis: int) -> Tensor:
            if isinstance(which, slice):
                return tensor[which] if axis == 0 else tensor[:, which]
            return tensor.index_select(axis, which)

        return Rows(
            taken(self.inputs, 0),
            None if self.given_targets is None else taken(self.given_targets, 0),
            None if self.weights is None else taken(self.weights, self.weights.ndim - 1),
            None if self.groups is None else taken(self.groups, 0),
        )

    def parts(self, order: Tensor | None, sizes: Sequence[int]) -> Iterator[Rows]:
        """Yield the rows in this order, or as they are, in parts of these sizes.

        >>> rows = Rows(torch.arange(3.0)[:, None])
        >>> [len(part) for part in rows.parts(torch.tensor([2, 0, 1]), [2, 1])]
        [2, 1]
        """
        start = 0
        for size in sizes:
            stop = start + size
            yield self.take(slice(start, stop) if order is None else order[start:stop])
            start = stop

    def with_columns(self, columns: Integers) -> Rows:
        """Return the rows with these input columns only, and with the same targets.

        >>> import numpy as np
        >>> rows = Rows(torch.tensor([[1.0, 2.0, 3.0]])).with_columns(np.array([0, 2]))
        >>> rows.inputs, rows.targets
        (tensor([[1., 3.]]), tensor([[1., 2., 3.]]))
        """
        index = torch.from_numpy(columns).to(self.inputs.device)
        inputs = self.inputs.index_select(1, index)
        return replace(self, inputs=inputs, given_targets=self.targets)

    def of_runs(self, runs: Sequence[int]) -> Rows:
        """Return the rows as these runs see them."""
        if self.weights is None or self.weights.ndim == 1:
            return self
        index = torch.tensor(list(runs), dtype=torch.long, device=self.inputs.device)
        return replace(self, weights=self.weights.index_select(0, index))

    def of_run(self, run: int) -> Rows:
        """Return the rows that count for one run, without the run axis.

        Rows of weight 0 are left out, and so are weights that are all 1.
        """
        if self.weights is None or self.weights.ndim == 1:
            return self
        counted = self.weights[run].nonzero().flatten()
        weights = self.weights[run][counted]
        return replace(self.take(counted), weights=None if bool((weights == 1).all()) else weights)

    def copy(self) -> Self:
        """Return a copy of the rows."""
        return self._map(lambda tensor: tensor.clone(memory_format=torch.contiguous_format))

    def joined(self, other: Rows) -> Rows:
        """Return these rows, followed by others of the same kind.

        >>> rows = Rows(torch.zeros(2, 1), weights=torch.ones(2))
        >>> len(rows.joined(rows.take(slice(1))))
        3
        """
        targets, weights, groups = (
            None if own is None or theirs is None else torch.cat([own, theirs], axis)
            for own, theirs, axis in (
                (self.given_targets, other.given_targets, 0),
                (self.weights, other.weights, -1),
                (self.groups, other.groups, 0),
            )
        )
        return Rows(torch.cat([self.inputs, other.inputs]), targets, weights, groups)

    def to(self, device: torch.device) -> Self:
        """Move the rows to a device."""
        return self._map(lambda tensor: tensor.to(device))

    def _map(self, change: Callable[[Tensor], Tensor]) -> Self:
        return replace(self._with_labels(change), inputs=change(self.inputs))

    def _with_labels(self, change: Callable[[Tensor], Tensor]) -> Self:
        """Return the rows with changed targets, weights and groups; None stays None."""
        targets, weights, groups = (
            None if tensor is None else change(tensor)
            for tensor in (self.given_targets, self.weights, self.groups)
        )
        return replace(self, given_targets=targets, weights=weights, groups=groups)
