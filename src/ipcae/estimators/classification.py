"""Feature selection for classification."""

from __future__ import annotations

from typing import Any

from numpy.typing import NDArray
from sklearn.base import ClassifierMixin
from torch import Tensor

from ipcae.arrays import Floats
from ipcae.estimators.documentation import with_parameters, with_signature_of
from ipcae.estimators.one_fit.class_weights import class_weights
from ipcae.estimators.supervised import SupervisedSelector
from ipcae.tasks import Classification, Multilabel, Task


@with_parameters
class ClassificationSelector(ClassifierMixin, SupervisedSelector):
    """Select K features that predict the class, and train a classifier on them.

    The target is one class per row, or an indicator matrix for multilabel classification.

    {parameters}
    classes_ : ndarray of shape (n_classes,)
        The class labels.

    See Also
    --------
    RegressionSelector : Predict numbers from the selected features.
    PanelSelector : Predict a class and reconstruct all columns.
    SelectorCV : Choose the number of features by cross-validation.
    chance_test : Test whether a selection is better than chance.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from ipcae import ClassificationSelector
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> selector = ClassificationSelector(2, max_epochs=40, random_state=0).fit(X, y)
    >>> selector.transform(X).shape
    (150, 2)
    >>> selector.score(X, y) > 0.9
    True
    """

    _own_parameters = """
class_weight : dict, "balanced" or None, default=None
    Weight of the rows of every class in the loss, in addition to ``sample_weight``. "balanced"
    weights a class inversely to its frequency, so that rare classes count as much as others."""

    _task = Classification
    task_: Classification | Multilabel

    @with_signature_of(SupervisedSelector.__init__)
    def __init__(
        self, n_features_to_select: Any = None, *, class_weight: Any = None, **parameters: Any
    ):
        super().__init__(n_features_to_select, **parameters)
        self.class_weight = class_weight

    def _row_weights(self, task: Task, targets: Tensor, weights: Tensor | None) -> Tensor | None:
        if self.class_weight is None:
            return weights
        factor = class_weights(self.class_weight, task, targets)
        return factor if weights is None else weights * factor

    @property
    def classes_(self) -> NDArray[Any]:
        """The class labels."""
        return self.task_.classes

    def predict_proba(self, X: Any) -> Floats:
        """Return the probability of every class or, for multilabel targets, every label.

        Parameters
        ----------
        X : array, data frame, sparse matrix or tensor of shape (n_rows, n_features)
            The rows. Of a data frame, only the selected columns are needed.

        Returns
        -------
        array of shape (n_rows, n_classes)
            The columns are in the order of ``classes_``.
        """
        outputs = self.decoder_outputs(X)
        return self.task_.probabilities(outputs)

    def predict_proba_from_selected(self, X_selected: Any) -> Floats:
        """Return the probabilities, given only the selected columns.

        Parameters
        ----------
        X_selected : array, data frame or tensor of shape (n_rows, K)
            The selected columns, in the order of ``get_feature_names_out()``.

        Returns
        -------
        array of shape (n_rows, n_classes)
        """
        outputs = self.decoder_outputs(X_selected, selected=True)
        return self.task_.probabilities(outputs)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_label = True
        return tags
