"""Unsupervised feature selection by reconstruction."""

from __future__ import annotations

from typing import Any, Self

import torch
from numpy.typing import NDArray
from sklearn.metrics import r2_score
from sklearn.utils.validation import check_is_fitted

from ipcae.arrays import Floats
from ipcae.estimators.base import NeuralSelector
from ipcae.estimators.documentation import with_parameters
from ipcae.estimators.mixins.streamed_outputs import explained_deviance, explained_variance
from ipcae.evaluation import read_sample
from ipcae.sources import Source
from ipcae.tables import read_rows, refuse_overflow
from ipcae.tasks import CountReconstruction, HurdleReconstruction, Reconstruction, Task


@with_parameters
class ReconstructionSelector(NeuralSelector):
    """Select K features from which all features can be reconstructed, without a target.

    For counts, such as those of reads or words, use ``loss="poisson"`` or
    ``loss="negative_binomial"``: the total of a row is an offset, and ``reconstruct`` returns the
    counts of a row with the mean total. With ``loss="hurdle"``, the network only reads whether a
    count is above zero, which is more comparable between technologies than the level.

    {parameters}

    See Also
    --------
    PanelSelector : Predict a class and reconstruct all columns.
    SelectorCV : Choose the number of features by cross-validation.
    StabilitySelection : How often features are selected from other rows.

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from ipcae import ReconstructionSelector
    >>> X, _ = load_digits(return_X_y=True)
    >>> X = X[:, X.std(0) > 0.5]
    >>> selector = ReconstructionSelector(10, max_epochs=20, random_state=0).fit(X)
    >>> measured = selector.transform(X)
    >>> measured.shape, selector.reconstruct(measured).shape == X.shape
    ((1797, 10), True)
    """

    _task = Reconstruction
    _other_tasks = (CountReconstruction, HurdleReconstruction)
    task_: Reconstruction

    @property
    def _fitted_task(self) -> type[Task]:
        for task in self._other_tasks:
            named = isinstance(self.loss, str) and self.loss in task.losses
            if named or type(self.loss) in map(type, task.losses.values()):
                return task
        return self._task

    def fit(
        self,
        X: Any,
        y: Any = None,
        sample_weight: Any = None,
        *,
        groups: Any = None,
        X_val: Any = None,
    ) -> Self:
        """Select features and train a decoder that reconstructs all features from them.

        Parameters
        ----------
        X : array, data frame, sparse matrix or tensor of shape (n_rows, n_features)
            The training rows.
        y : ignored
            For compatibility with scikit-learn.
        sample_weight : array of shape (n_rows,), optional
            Weights of the rows in the loss and in the ranking ``"column-subset"``. Other rankings
            ignore them.
        groups : array of shape (n_rows,), optional
            The group of every row, such as a patient or a machine. Whole groups are held out to
            validate on.
        X_val : optional
            Validation rows, to use instead of a fraction of X.

        Returns
        -------
        self
            The fitted selector.
        """
        return self._fit(X, None, sample_weight, groups, X_val)

    def reconstruct(self, X: Any) -> NDArray[Any]:
        """Reconstruct all columns from the selected ones.

        Parameters
        ----------
        X : array, data frame, sparse matrix or tensor
            The selected columns, as returned by ``transform``, or all columns, of which only the
            selected ones are used. The columns of a data frame are found by name.

        Returns
        -------
        array of shape (n_rows, n_features)
            With categories, an array of objects, with the texts of the levels.
        """
        check_is_fitted(self)
        return self._labeled(self._predict(X, selected=self._has_selected_only(X)))

    def _labeled(self, predicted: Floats) -> NDArray[Any]:
        """Return the texts of categories instead of their codes."""
        encoding = getattr(self, "encoding_", None)
        if encoding is None or not encoding.has_levels:
            return predicted
        return encoding.label(torch.from_numpy(predicted))

    def score(self, X: Any, y: Any = None, sample_weight: Any = None) -> float:
        """Return the fraction of the variance of the scaled columns that is explained (R²).

        Parameters
        ----------
        X : array, data frame, sparse matrix or tensor of shape (n_rows, n_features)
            The rows, with all columns.
        y : ignored
            For compatibility with scikit-learn.
        sample_weight : array of shape (n_rows,), optional
            Weights of the rows.

        Returns
        -------
        float
            At most 1. For counts, the fraction of the deviance that is explained (D²).
        """
        check_is_fitted(self)
        if isinstance(X, Source):
            counts = isinstance(self.task_, CountReconstruction)
            explained = explained_deviance if counts else explained_variance
            return explained(self, X)
        if isinstance(self.task_, CountReconstruction):
            sample = read_sample(self, X, None)
            return self.task_.metrics(self.decoder_outputs(X), sample.rows.targets)["d2"]
        inputs = read_rows(self, X).cpu()
        outputs = self.decoder_outputs(X)
        refuse_overflow(self.scaler_, inputs, getattr(self, "feature_names_in_", None))
        true, restored = self.task_.compared(outputs, inputs)
        return float(
            r2_score(true, restored, sample_weight=sample_weight, multioutput="variance_weighted")
        )
