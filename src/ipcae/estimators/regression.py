"""Select the features that predict a number."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
import torch
from numpy.typing import NDArray
from sklearn.base import RegressorMixin
from sklearn.utils.validation import check_array
from torch import Tensor

from ipcae.errors import InputError
from ipcae.estimators.base import NeuralSelector
from ipcae.estimators.documentation import with_parameters
from ipcae.estimators.inputs import require_same_length
from ipcae.estimators.scaling import fit_scaler, robust_scaler
from ipcae.losses import Huber, Loss, SquaredError


@with_parameters
class RegressionSelector(RegressorMixin, NeuralSelector):
    """Select K features that predict one number or several, and learn the regressor.

    The target is standardized inside; predictions come in its own unit. ``loss="huber"`` is for
    targets with outliers, which are then kept from deciding its scale too.

    {parameters}

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> from ipcae import RegressionSelector
    >>> X, y = load_diabetes(return_X_y=True, as_frame=True)
    >>> selector = RegressionSelector(4, max_epochs=40, random_state=0).fit(X, y)
    >>> "bmi" in selector.get_feature_names_out()
    True
    """

    _task = "regression"

    def fit(
        self,
        X: Any,
        y: Any,
        sample_weight: Any = None,
        *,
        X_val: Any = None,
        y_val: Any = None,
    ) -> Self:
        """Select features and train the regressor on them.

        Parameters
        ----------
        X : array, data frame, sparse matrix or tensor of shape (n_rows, n_features)
        y : array of shape (n_rows,) or (n_rows, n_targets)
        sample_weight : array of shape (n_rows,), optional
        X_val, y_val : optional
            Rows for validation, instead of a fraction of X.
        """
        return self._fit(X, y, sample_weight, X_val, y_val)

    def predict(self, X: Any) -> NDArray[np.float64]:
        """Return the predicted target of every row, in its own unit."""
        return self._values_of(self._outputs(X))

    def predict_from_selected(self, X_selected: Any) -> NDArray[np.float64]:
        """Predict from the selected columns alone, as ``transform`` returns them."""
        return self._values_of(self._outputs_from_selected(X_selected))

    def _values_of(self, outputs: Tensor) -> NDArray[np.float64]:
        values = self.target_scaler_.invert(outputs).numpy()
        return values[:, 0] if self.single_target_ else values

    def _read_targets(self, rows: Tensor, y: Any, *, reset: bool) -> Tensor:
        if y is None:
            raise InputError(
                f"{type(self).__name__} requires y to be passed, but the target y is None: give "
                "one number per row."
            )
        if isinstance(y, Tensor):
            y = y.detach().cpu().numpy()
        name = "y" if reset else "y_val"
        require_same_length(rows, y, name)
        values = check_array(
            y, ensure_2d=False, dtype=np.float64, input_name=name, ensure_min_samples=1
        )
        if reset:
            self.single_target_ = values.ndim == 1
        return torch.from_numpy(np.array(values.reshape(len(values), -1))).to(rows.device)

    def _fit_target_scaler(self, targets: Tensor) -> None:
        outliers = self.loss == "huber" or isinstance(self.loss, Huber)
        self.target_scaler_ = (
            robust_scaler(targets) if outliers else fit_scaler(targets, "standard")
        )

    def _scaled_targets(self, targets: Tensor) -> Tensor:
        return self.target_scaler_.apply(targets)

    def _task_loss(self) -> Loss:
        return SquaredError()

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.target_tags.multi_output = True
        return tags
