"""Select the features that tell classes apart."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
import torch
from numpy.typing import NDArray
from sklearn.base import ClassifierMixin
from sklearn.preprocessing import LabelEncoder
from sklearn.utils import assert_all_finite
from sklearn.utils.multiclass import check_classification_targets, type_of_target
from sklearn.utils.validation import column_or_1d
from torch import Tensor

from ipcae.decoders import Mlp
from ipcae.errors import InputError
from ipcae.estimators.base import NeuralSelector
from ipcae.estimators.documentation import with_parameters
from ipcae.estimators.inputs import require_same_length, some
from ipcae.losses import BinaryCrossEntropy, CrossEntropy, Loss
from ipcae.training import Rows


@with_parameters
class ClassificationSelector(ClassifierMixin, NeuralSelector):
    """Select K features that predict a class, and learn the classifier that reads them.

    The target is one class per row, or a matrix of zeros and ones for several labels at once.

    {parameters}
    classes_ : ndarray of shape (n_classes,)
        The class labels.

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

    _default_decoder = Mlp(hidden=(512,), dropout=0.3)
    _task = "classification"

    def fit(
        self,
        X: Any,
        y: Any,
        sample_weight: Any = None,
        *,
        X_val: Any = None,
        y_val: Any = None,
    ) -> Self:
        """Select features and train the classifier on them.

        Parameters
        ----------
        X : array, data frame, sparse matrix or tensor of shape (n_rows, n_features)
        y : array of shape (n_rows,), or (n_rows, n_labels) of zeros and ones
        sample_weight : array of shape (n_rows,), optional
        X_val, y_val : optional
            Rows for validation, instead of a fraction of X.
        """
        return self._fit(X, y, sample_weight, X_val, y_val)

    def predict(self, X: Any) -> NDArray[Any]:
        """Return the likeliest class of every row, or the labels that are likelier than not."""
        return self._classes_of(self._outputs(X))

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Return the probability of every class, or of every label."""
        return self._probabilities_of(self._outputs(X))

    def predict_from_selected(self, X_selected: Any) -> NDArray[Any]:
        """Predict from the selected columns alone, as ``transform`` returns them."""
        return self._classes_of(self._outputs_from_selected(X_selected))

    def _classes_of(self, outputs: Tensor) -> NDArray[Any]:
        if self.multilabel_:
            return (outputs > 0).numpy().astype(np.int64)
        return self.classes_[outputs.argmax(-1).numpy()]

    def _probabilities_of(self, outputs: Tensor) -> NDArray[np.float64]:
        outputs = outputs.double()
        return (outputs.sigmoid() if self.multilabel_ else outputs.softmax(-1)).numpy()

    def _read_targets(self, rows: Tensor, y: Any, *, reset: bool) -> Tensor:
        if y is None:
            raise InputError(
                f"{type(self).__name__} requires y to be passed, but the target y is None: give "
                "one class per row."
            )
        if isinstance(y, Tensor):
            y = y.detach().cpu().numpy()
        name = "y" if reset else "y_val"
        require_same_length(rows, y, name)
        assert_all_finite(y if hasattr(y, "dtype") else np.asarray(y), input_name=name)
        check_classification_targets(y)
        multilabel = type_of_target(y) == "multilabel-indicator"
        if reset:
            self.multilabel_ = multilabel
        elif multilabel != self.multilabel_:
            raise InputError(
                "y and y_val are of different kinds: expected one class per row in both, or a "
                "matrix of zeros and ones in both."
            )
        if multilabel:
            labels = np.asarray(y.toarray() if hasattr(y, "toarray") else y)
            if reset:
                self.classes_ = np.arange(labels.shape[1])
            return torch.from_numpy(labels.astype(np.float32)).to(rows.device)
        labels = column_or_1d(y, warn=True)
        if reset:
            self.classes_ = np.unique(labels)
            if len(self.classes_) < 2:
                raise InputError(
                    f"y has only one class, {self.classes_.tolist()[0]!r}: expected at least two "
                    "to tell apart."
                )
        unseen = set(labels.tolist()) - set(self.classes_.tolist())
        if unseen:
            raise InputError(
                f"y_val holds classes that y does not ({some(sorted(map(str, unseen)))}): "
                "expected only classes to learn from."
            )
        encoder = LabelEncoder()
        encoder.classes_ = self.classes_
        return torch.from_numpy(encoder.transform(labels)).to(rows.device)

    def _task_loss(self) -> Loss:
        return BinaryCrossEntropy() if self.multilabel_ else CrossEntropy()

    def _strata(self, y: Tensor | None) -> NDArray[Any] | None:
        return None if y is None or self.multilabel_ else y.cpu().numpy()

    def _n_outputs(self, table: Rows) -> int:
        return len(self.classes_)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.classifier_tags.multi_label = True
        return tags
