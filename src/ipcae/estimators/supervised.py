"""The base class of the selectors that predict a target."""

from __future__ import annotations

from typing import Any, Self

from numpy.typing import NDArray

from ipcae.estimators.base import NeuralSelector


class SupervisedSelector(NeuralSelector):
    """Base class of the selectors that predict a target. Should not be used directly."""

    def fit(
        self,
        X: Any,
        y: Any,
        sample_weight: Any = None,
        *,
        groups: Any = None,
        X_val: Any = None,
        y_val: Any = None,
    ) -> Self:
        """Select features and train a decoder that predicts the target from them.

        Parameters
        ----------
        X : array, data frame, sparse matrix or tensor of shape (n_rows, n_features)
            The training rows.
        y : array of shape (n_rows,) or (n_rows, n_outputs)
            The target.
        sample_weight : array of shape (n_rows,), optional
            Weights of the rows in the loss and in the ranking of the features. The rankings
            ``"lasso"``, ``"mutual-information"``, ``"pfa"``, ``"pivoted-qr"`` and ``"udfs"`` ignore
            them, and so does ``"anova"`` for a table that is read in parts.
        groups : array of shape (n_rows,), optional
            The group of every row, such as a patient or a machine. Whole groups are held out to
            validate on, so that training stops when the decoder no longer improves for new ones.
            If rows of the same group have the same target, rankings compare the means of groups.
        X_val, y_val : optional
            Validation rows and targets, to use instead of a fraction of X.

        Returns
        -------
        self
            The fitted selector.
        """
        return self._fit(X, y, sample_weight, groups, X_val, y_val)

    def predict(self, X: Any) -> NDArray[Any]:
        """Predict the target of every row.

        Parameters
        ----------
        X : array, data frame, sparse matrix or tensor of shape (n_rows, n_features)
            The rows. Of a data frame, only the selected columns are needed.

        Returns
        -------
        array of shape (n_rows,) or (n_rows, n_outputs)
        """
        return self._predict(X)

    def predict_from_selected(self, X_selected: Any) -> NDArray[Any]:
        """Predict, given only the selected columns as returned by ``transform``.

        Parameters
        ----------
        X_selected : array, data frame or tensor of shape (n_rows, K)
            The selected columns, in the order of ``get_feature_names_out()``.

        Returns
        -------
        array of shape (n_rows,) or (n_rows, n_outputs)
        """
        return self._predict(X_selected, selected=True)
