"""Feature selection for survival analysis."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from ipcae.arrays import Floats
from ipcae.errors import InputError
from ipcae.estimators.documentation import with_parameters
from ipcae.estimators.supervised import SupervisedSelector
from ipcae.survival import concordance
from ipcae.tables import read_rows, read_weights
from ipcae.tasks import Survival


@with_parameters
class SurvivalSelector(SupervisedSelector):
    """Select K features that predict the risk of an event, and train a Cox model on them.

    The target is the time of the event, or the time of censoring, of every row: a structured array
    with a boolean and a numeric field as in scikit-survival, a data frame with the columns "time"
    and "event", or two columns, the time first. The loss is Cox's negative partial likelihood with
    Efron's treatment of ties; in training, the rows at risk are those of the batch.

    {parameters}
    event_times_ : ndarray of shape (n_times,)
        The times of events in the training rows, in increasing order.

    See Also
    --------
    RegressionSelector : Predict numbers from the selected features.
    ipcae.selectors.CoxElimination : Backward elimination with Cox models.
    SelectorCV : Choose the number of features by cross-validation.

    Examples
    --------
    >>> import numpy as np
    >>> from ipcae import SurvivalSelector
    >>> random = np.random.default_rng(0)
    >>> X = random.normal(size=(300, 20))
    >>> time = random.exponential(np.exp(-X[:, 3] - X[:, 7]))
    >>> event = time < 2
    >>> y = np.column_stack([np.minimum(time, 2), event])
    >>> selector = SurvivalSelector(2, max_epochs=60, random_state=0).fit(X, y)
    >>> selector.get_support(indices=True)
    array([3, 7])
    >>> selector.predict_survival_function(X[:3], times=[0.5, 1.0]).shape
    (3, 2)
    """

    _task = Survival
    task_: Survival

    @property
    def event_times_(self) -> Floats:
        """The times of events in the training rows, in increasing order."""
        check_is_fitted(self)
        assert self.task_.event_times is not None
        return self.task_.event_times

    def predict(self, X: Any) -> NDArray[Any]:
        """Predict the log hazard ratio of every row: the higher it is, the earlier the event.

        Parameters
        ----------
        X : array, data frame, sparse matrix or tensor of shape (n_rows, n_features)
            The rows. Of a data frame, only the selected columns are needed.

        Returns
        -------
        array of shape (n_rows,)
        """
        return super().predict(X)

    def predict_survival_function(self, X: Any, times: Any = None) -> Floats:
        """Return the probability that a row has no event up to each time.

        Parameters
        ----------
        X : array, data frame, sparse matrix or tensor of shape (n_rows, n_features)
        times : array of shape (n_times,), default=None
            None uses ``event_times_``.

        Returns
        -------
        array of shape (n_rows, n_times)
            With Breslow's estimate of the baseline hazard of the training rows. After the last
            event, it is constant.
        """
        if times is not None and np.isnan(times := np.asarray(times, dtype=np.float64)).any():
            raise InputError("times contains NaN: expected times, in the unit of those of y.")
        return self.task_.survival(self.decoder_outputs(X), self.best_run_, times)

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Return the concordance index: the fraction of comparable pairs in the right order.

        Parameters
        ----------
        X : array, data frame, sparse matrix or tensor of shape (n_rows, n_features)
            The rows.
        y : structured array, or array or data frame of shape (n_rows, 2)
            Times and events, as for ``fit``.
        sample_weight : array of shape (n_rows,), optional
            Weights of the rows.

        Returns
        -------
        float
            From 0 to 1; 0.5 for a random order.
        """
        risk = self.predict(X)
        rows = read_rows(self, X)
        time, event = self.task_.encode(y, rows).cpu().numpy().T
        weights = read_weights(sample_weight, rows)
        return concordance(
            time,
            event > 0,
            risk,
            weights=None if weights is None else weights.double().cpu().numpy(),
        )
