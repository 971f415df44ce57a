"""What a fitted selector answers: the selection, the ranking, the decoder's outputs."""

from __future__ import annotations

import copy
from typing import Any, Self

import numpy as np
import torch
from numpy.typing import NDArray
from sklearn.base import BaseEstimator
from sklearn.feature_selection import SelectorMixin
from sklearn.utils.validation import check_is_fitted
from torch import Tensor

from ipcae.errors import InputError
from ipcae.estimators import inputs
from ipcae.estimators.scaling import Scaler
from ipcae.models import FixedSelection, Params
from ipcae.selection import Selection

_PREDICT_ROWS = 8192


class FittedSelector(SelectorMixin, BaseEstimator):
    """The questions to a selector whose ``fit`` has filled in these attributes."""

    selections_: list[Selection]
    best_run_: int
    validation_loss_: NDArray[np.float64]
    importance_: NDArray[np.float64]
    agreement_: NDArray[np.float64]
    scaler_: Scaler
    model_: FixedSelection
    params_: Params

    def __sklearn_is_fitted__(self) -> bool:
        # A fit that was refused half-way leaves other attributes behind.
        return hasattr(self, "params_")

    # The selection.

    @property
    def selection_(self) -> Selection:
        """What the best run selected."""
        check_is_fitted(self)
        return self.selections_[self.best_run_]

    @property
    def ranking_(self) -> NDArray[np.int64]:
        """Rank of every feature from 1.

        First the selected ones, by how much the validation loss rises when they are shuffled;
        then the others, by agreement over the runs and by selection probability.
        """
        selection = self.selection_
        importance = np.full(len(selection.probability), -np.inf)
        np.maximum.at(importance, selection.features, self.importance_[self.best_run_])
        unselected = ~selection.support()
        order = np.lexsort((-selection.probability, -self.agreement_, -importance, unselected))
        ranks = np.empty(len(order), dtype=np.int64)
        ranks[order] = np.arange(1, len(order) + 1)
        return ranks

    def _get_support_mask(self) -> NDArray[np.bool_]:
        check_is_fitted(self)
        return self.selection_.support()

    def transform(self, X: Any) -> Any:
        """Return the selected columns; a torch tensor gives a tensor on its own device."""
        if isinstance(X, Tensor):
            check_is_fitted(self)
            inputs.read_rows(self, X, reset=False)
            columns = torch.as_tensor(self.get_support(indices=True), device=X.device)
            return X.index_select(1, columns)
        return super().transform(X)

    def with_run(self, run: int) -> Self:
        """Return a copy of the fitted selector that answers with another of its runs."""
        check_is_fitted(self)
        if not 0 <= run < len(self.selections_):
            raise InputError(f"There is no run {run}: expected 0 to {len(self.selections_) - 1}.")
        if not np.isfinite(self.validation_loss_[run]):
            raise InputError(f"Run {run} diverged and was left out: choose another.")
        twin = copy.copy(self)
        twin.best_run_ = run
        return twin

    # The decoder.

    @torch.no_grad()
    def _outputs(self, X: Any) -> Tensor:
        """Return the decoder's outputs from all columns. Shape: (N, D) -> (N, O)."""
        check_is_fitted(self)
        rows = inputs.read_rows(self, X, reset=False)
        features = torch.as_tensor(self.selection_.features)
        return self._decode(rows.cpu()[:, features], features)

    @torch.no_grad()
    def _outputs_from_selected(self, X_selected: Any) -> Tensor:
        """Return the decoder's outputs from the columns that ``transform`` gives."""
        check_is_fitted(self)
        names = self.get_feature_names_out() if hasattr(self, "feature_names_in_") else None
        values = _selected_values(X_selected, int(self.get_support().sum()), names)
        features = torch.as_tensor(self.selection_.features)
        column = torch.as_tensor(np.cumsum(self.get_support()) - 1)[features]
        return self._decode(values[:, column], features)

    def _decode(self, values: Tensor, features: Tensor) -> Tensor:
        own = slice(self.best_run_, self.best_run_ + 1)
        # In float64, so that a row's prediction does not depend on the rows beside it.
        params = {name: _double(tensor[own]) for name, tensor in self.params_.items()}
        scaled = self.scaler_.columns(features).apply(values).double()
        outputs = [
            self.model_.decode(params, part[None])[0] for part in scaled.split(_PREDICT_ROWS)
        ]
        return torch.cat(outputs)


def _selected_values(X_selected: Any, n_selected: int, names: NDArray[Any] | None) -> Tensor:
    if isinstance(X_selected, Tensor):
        values = inputs.as_floating(X_selected.detach().cpu())
    else:
        dense = np.array(X_selected.toarray() if hasattr(X_selected, "toarray") else X_selected)
        values = torch.from_numpy(dense if dense.dtype == np.float32 else dense.astype(np.float64))
    if values.ndim != 2 or values.shape[1] != n_selected:
        raise InputError(
            f"Expected the {n_selected} selected columns, in the order of "
            f"get_feature_names_out(); got shape {tuple(values.shape)}."
        )
    given = [str(name) for name in getattr(X_selected, "columns", ())]
    labels = None if names is None else list(names)
    if labels and given and given != labels:
        raise InputError(
            f"Expected the selected columns {inputs.some(labels)}, in this order; got "
            f"{inputs.some(given)}."
        )
    inputs.refuse_not_finite(values, labels, "X_selected")
    return values


def _double(tensor: Tensor) -> Tensor:
    return tensor.double() if tensor.is_floating_point() else tensor
