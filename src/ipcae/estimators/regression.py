"""Feature selection for regression."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import RegressorMixin
from sklearn.metrics import r2_score

from ipcae.estimators.documentation import with_parameters
from ipcae.estimators.supervised import SupervisedSelector
from ipcae.tables.tensors import as_array
from ipcae.tasks import Regression
from ipcae.tasks.regression import moderate


@with_parameters
class RegressionSelector(RegressorMixin, SupervisedSelector):
    """Select K features that predict one or several numbers, and train a regressor on them.

    The target is standardized internally; predictions are in its original units. Use
    ``loss="huber"`` for targets with outliers: it also scales the target by its quartiles.

    {parameters}

    See Also
    --------
    ClassificationSelector : Predict classes from the selected features.
    SurvivalSelector : Predict the risk from censored times.
    SelectorCV : Choose the number of features by cross-validation.
    chance_test : Test whether a selection is better than chance.

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> from ipcae import RegressionSelector
    >>> X, y = load_diabetes(return_X_y=True, as_frame=True)
    >>> selector = RegressionSelector(4, max_epochs=40, random_state=0).fit(X, y)
    >>> "bmi" in selector.get_feature_names_out()
    True
    """

    _task = Regression

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Return R², the fraction of the variance of the target that is predicted.

        Parameters
        ----------
        X : array, data frame, sparse matrix or tensor of shape (n_rows, n_features)
            The rows. Of a data frame, only the selected columns are needed.
        y : array of shape (n_rows,) or (n_rows, n_targets)
            The true values.
        sample_weight : array of shape (n_rows,), optional
            Weights of the rows.

        Returns
        -------
        float
            At most 1; 0 for a constant prediction of the mean. The average over several targets.
        """
        predicted = np.asarray(self.predict(X))
        true = np.asarray(as_array(y), dtype=np.float64)
        if true.size and np.isfinite(true).all():  # otherwise r2_score says what is wrong
            true, predicted, _ = moderate(true, predicted)
        return float(r2_score(true, predicted, sample_weight=sample_weight))

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = True
        return tags
