"""Feature selection for classification and reconstruction at once."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted
from torch import Tensor

from ipcae.arrays import Floats
from ipcae.errors import InputError
from ipcae.estimators.classification import ClassificationSelector
from ipcae.estimators.documentation import with_parameters, with_signature_of
from ipcae.losses import CrossEntropyWithReconstruction, Loss
from ipcae.tasks import Panel, Task


@with_parameters
class PanelSelector(ClassificationSelector):
    """Select K features that predict the class and from which all features can be reconstructed.

    One decoder learns both. A panel selected for classification alone may miss all variation
    within the classes; one selected for reconstruction alone may miss a rare class.

    {parameters}
    classes_ : ndarray of shape (n_classes,)
        The class labels.

    See Also
    --------
    ClassificationSelector : Predict classes from the selected features.
    ReconstructionSelector : Reconstruct all columns, without a target.
    ipcae.sc.select : Select a gene panel from an AnnData.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from ipcae import PanelSelector
    >>> X, y = load_wine(return_X_y=True)
    >>> selector = PanelSelector(4, reconstruction_weight=0.5, max_epochs=40, random_state=0)
    >>> selector.fit(X, y).reconstruct(X).shape
    (178, 13)
    >>> selector.score(X, y) > 0.8
    True
    """

    _own_parameters = (
        (ClassificationSelector._own_parameters or "")
        + """
reconstruction_weight : float, default=0.5
    Weight of the reconstruction in the loss, from 0 (classification only) to 1 (reconstruction
    only). Both parts are relative to the loss of a constant prediction."""
    )

    _task = Panel  # type: ignore[assignment]
    task_: Panel  # type: ignore[assignment]

    @with_signature_of(ClassificationSelector.__init__)
    def __init__(
        self,
        n_features_to_select: Any = None,
        *,
        reconstruction_weight: float = 0.5,
        **parameters: Any,
    ):
        super().__init__(n_features_to_select, **parameters)
        self.reconstruction_weight = reconstruction_weight

    def _loss_for(self, task: Task) -> Loss:
        if self.loss is not None:
            return task.loss_for(self.loss)
        weight = self.reconstruction_weight
        if isinstance(weight, bool) or not isinstance(weight, int | float | np.number):
            raise InputError(
                f"reconstruction_weight={weight!r} is not a number: expected 0 to 1, such as 0.5."
            )
        return CrossEntropyWithReconstruction(float(weight))

    def _row_weights(self, task: Task, targets: Tensor, weights: Tensor | None) -> Tensor | None:
        return super()._row_weights(task, task.ranking_targets(targets), weights)

    def reconstruct(self, X: Any) -> Floats:
        """Reconstruct all columns from the selected ones.

        Parameters
        ----------
        X : array, data frame, sparse matrix or tensor
            The selected columns, as returned by ``transform``, or all columns, of which only the
            selected ones are used. The columns of a data frame are found by name.

        Returns
        -------
        array of shape (n_rows, n_features)
        """
        check_is_fitted(self)
        selected = self._has_selected_only(X)
        outputs = self.task_.columns(self.decoder_outputs(X, selected=selected))
        return self.task_.reconstruction.predictions(outputs)
