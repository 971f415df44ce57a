"""The selected features of a fitted selector: ranks, agreement of seeds, columns."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from sklearn import get_config
from sklearn.utils.validation import check_is_fitted
from torch import Tensor

from ipcae.arrays import Booleans, Floats, Integers
from ipcae.constraints import Constraints
from ipcae.errors import as_input_error
from ipcae.estimators.mixins.decoding import Decoding
from ipcae.feature_table import feature_ranks
from ipcae.selectors import Method
from ipcae.sources import Source
from ipcae.tables import read_rows
from ipcae.tables.frames import as_frame, take_columns
from ipcae.tables.reading import as_values
from ipcae.torch_settings import with_default_torch_settings


class SelectedFeatures(Decoding):
    """Mixin for selectors: rank the features, and return the columns of the selected ones."""

    validation_loss_: Floats
    importance_: Floats
    constraints_: Constraints

    @property
    def _known_method(self) -> Method:
        """The method of the fit."""
        raise NotImplementedError

    @property
    def ranking_(self) -> Integers:
        """Rank of every feature, starting at 1.

        Selected features come first, ordered by permutation importance or, for methods with scores,
        by the mean of their ranks by importance and by score. The others are ordered by the number
        of other runs that selected them, then by selection probability or score.
        """
        selection, importance = self.selection_, self.importance_[self.best_run_]
        return feature_ranks(selection, importance, self.other_seeds_, self.constraints_.included)

    def _get_support_mask(self) -> Booleans:
        check_is_fitted(self)
        return self.selection_.support()

    def transform(self, X: Any) -> Any:
        """Return the selected columns of X.

        Parameters
        ----------
        X : array, data frame, sparse matrix or tensor of shape (n_rows, n_features)
            The rows. Of a data frame, only the selected columns are needed.

        Returns
        -------
        array, data frame, sparse matrix or tensor of shape (n_rows, K)
            The columns in the order of X and of ``get_feature_names_out()``. A tensor gives a
            tensor on its device; a data frame an array, or what ``set_output`` asked for.
        """
        return self._transformed(X, output_container(self))

    @with_default_torch_settings
    def _transformed(self, X: Any, container: str) -> Any:
        """Return the selected columns; those of a frame with their types if a frame is wanted."""
        if isinstance(X, Tensor):
            check_is_fitted(self)
            read_rows(self, X)
            columns = torch.as_tensor(self.get_support(indices=True), device=X.device)
            selectable = X.layout in (torch.strided, torch.sparse_coo)
            return (X if selectable else X.to_dense()).index_select(1, columns)
        check_is_fitted(self)
        if isinstance(X, Source):
            return self._read_selected(X, "X").numpy()
        if self._finds_columns_in(X):
            selected = take_columns(X, self.get_feature_names_out())
            self._read_selected(selected, "X")
            # scikit-learn converts an array to the container of set_output, but not its types.
            return as_values(selected) if container == "default" else as_frame(selected, container)
        with as_input_error():
            return super().transform(X)

    @property
    def other_seeds_(self) -> Floats:
        """Fraction of the other runs that selected each feature. Shape: (n_features,).

        The best run, whose features are the selected ones, does not count. NaN if there are no
        other runs, or if the method does not depend on the seed. Agreement of seeds says nothing
        about other rows.
        """
        best, selections = self.best_run_, self.selections_
        usable = np.isfinite(self.validation_loss_)
        others = [s.support() for r, s in enumerate(selections) if usable[r] and r != best]
        method = self._known_method
        # A ranking that all runs share may replace what a network draws.
        shared = method.measure == "probability" and {s.measure for s in selections} == {"score"}
        if not others or not method.random or shared:
            return np.full(len(selections[best].probability), np.nan)
        return np.mean(others, axis=0)


def output_container(estimator: Any) -> str:
    """Return the container that ``set_output`` asked for: "default", "pandas" or "polars"."""
    own = getattr(estimator, "_sklearn_output_config", {}).get("transform")
    return str(own or get_config()["transform_output"])
