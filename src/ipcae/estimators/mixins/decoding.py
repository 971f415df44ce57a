"""Compute the decoder outputs of a fitted selector from the columns of a table."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from sklearn.feature_selection import SelectorMixin
from sklearn.utils.validation import check_is_fitted
from torch import Tensor

from ipcae.arrays import Floats
from ipcae.estimators.mixins.streamed_outputs import selected_columns
from ipcae.models import FixedSelection, Params
from ipcae.selection import Selection
from ipcae.sources import Source
from ipcae.tables import Scaler, read_rows, refuse_far_rows
from ipcae.tables.checks.ranges import warn_of_far_values
from ipcae.tables.encodings.encoded_scaler import EncodedScaler
from ipcae.tables.encodings.encoding import Encoding
from ipcae.tables.frames import has_names
from ipcae.tables.reading import read_selected
from ipcae.tasks import Task
from ipcae.torch_settings import with_default_torch_settings

_PREDICT_ROWS = 8192


class Decoding(SelectorMixin):
    """Mixin for selectors: read the selected columns, scale them and decode them."""

    missing: str
    n_features_in_: int
    task_: Task
    encoding_: Encoding
    scaler_: Scaler | EncodedScaler
    data_min_: Floats
    data_max_: Floats
    selections_: list[Selection]
    best_run_: int
    model_: FixedSelection
    params_: Params

    @property
    def selection_(self) -> Selection:
        """The selection of the best run."""
        check_is_fitted(self)
        return self.selections_[self.best_run_]

    @with_default_torch_settings
    def decoder_outputs(self, X: Any, *, selected: bool = False) -> Tensor:
        """Return the raw outputs of the decoder.

        Parameters
        ----------
        X : array, data frame, sparse matrix or tensor of shape (n_rows, n_features)
        selected : bool, default=False
            Whether X contains only the selected columns, as returned by ``transform``.

        Returns
        -------
        Tensor of shape (n_rows, n_outputs)
            In float64, before the conversion to classes or target units.
        """
        values = self._selected_values(X, selected)
        outputs = self.decode_selected(values)
        self._warn_of_far_values(values)
        return outputs

    @with_default_torch_settings
    def _predict(self, X: Any, selected: bool = False) -> NDArray[Any]:
        values = self._selected_values(X, selected)
        predicted = self.task_.predictions(self.decode_selected(values))
        if predicted.dtype.kind == "f":
            self._refuse_far_rows(torch.from_numpy(self._known(predicted)), values)
        self._warn_of_far_values(values)
        return predicted

    def _known(self, predicted: NDArray[Any]) -> NDArray[Any]:
        """Return predictions without columns that are left out, which cannot be reconstructed."""
        encoding = getattr(self, "encoding_", None)
        if encoding is None or not self.task_.head.restores_columns:
            return predicted
        return np.delete(predicted, encoding.left_out, axis=1)

    def _selected_values(self, X: Any, selected: bool) -> Tensor:
        """Return what the nodes read, in the units of X. Shape: -> (N, K)."""
        check_is_fitted(self)
        features = torch.as_tensor(self.selection_.features)
        by_position = not selected and not self._finds_columns_in(X)
        if by_position and not isinstance(X, Source):
            return read_rows(self, X).cpu()[:, features]
        name = "X_selected" if selected else "X"
        values = self._read_selected(X, name)
        return values[:, torch.as_tensor(np.cumsum(self.get_support()) - 1)[features]]

    def _read_selected(self, X: Any, name: str) -> Tensor:
        read = selected_columns if isinstance(X, Source) else read_selected
        return read(self, X, name)

    @torch.no_grad()
    def decode_selected(self, values: Tensor) -> Tensor:
        """Return the raw outputs of the decoder for what its nodes read, in the units of X.

        Shape: (N, K), the columns ``selection_.features`` in this order -> (N, O).
        """
        best = slice(self.best_run_, self.best_run_ + 1)
        # In float64, so that the prediction of a row does not depend on the other rows.
        params = {name: _double(tensor[best]) for name, tensor in self.params_.items()}
        scaled = self._selected_scaler.apply(values).double()
        self._refuse_far_rows(scaled, values)
        parts = [self.model_.decode(params, part[None])[0] for part in scaled.split(_PREDICT_ROWS)]
        outputs = torch.cat(parts)
        self._refuse_far_rows(outputs, values)
        return outputs

    @property
    def _selected_scaler(self) -> Scaler | EncodedScaler:
        return self.scaler_.columns(torch.as_tensor(self.selection_.features))

    def _refuse_far_rows(self, predicted: Tensor, values: Tensor) -> None:
        finite = torch.isfinite(predicted)
        bad = ~(finite if finite.ndim == 1 else finite.flatten(1).all(1))
        refuse_far_rows(bad, values, self._selected_scaler, self._selected_names)

    def _warn_of_far_values(self, values: Tensor) -> None:
        if hasattr(self, "data_min_"):  # the selectors of folds have none
            features = self.selection_.features
            low, high = (
                torch.from_numpy(ends[features]) for ends in (self.data_min_, self.data_max_)
            )
            names = self._selected_names or [f"column {feature}" for feature in features]
            warn_of_far_values(values, low, high, names)

    @property
    def _selected_names(self) -> list[str] | None:
        """The names of what the nodes read, if the columns have names."""
        if not hasattr(self, "feature_names_in_"):
            return None
        return [str(self.feature_names_in_[feature]) for feature in self.selection_.features]

    def _has_selected_only(self, X: Any) -> bool:
        """Return whether X has the selected columns only, found by position and not by name."""
        if self._finds_columns_in(X):
            return False
        width = np.shape(X)[1] if len(np.shape(X)) == 2 else 0
        return bool(width == self.get_support().sum() or width != self.n_features_in_)

    def _finds_columns_in(self, X: Any) -> bool:
        """Return whether the selected columns of X are found by their names."""
        return hasattr(self, "feature_names_in_") and has_names(X)


def _double(tensor: Tensor) -> Tensor:
    return tensor.double() if tensor.is_floating_point() else tensor
