"""Load a fitted selector from a file."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from ipcae.estimators.base import NeuralSelector
from ipcae.estimators.channels import ChannelSelector
from ipcae.estimators.classification import ClassificationSelector
from ipcae.estimators.panel import PanelSelector
from ipcae.estimators.reconstruction import ReconstructionSelector
from ipcae.estimators.regression import RegressionSelector
from ipcae.estimators.survival import SurvivalSelector
from ipcae.files import StoredSelector, not_understood, read_stored
from ipcae.files.shapes import check_shapes

SELECTORS: dict[str, type[NeuralSelector]] = {
    selector._task.name: selector
    for selector in (
        ClassificationSelector,
        RegressionSelector,
        SurvivalSelector,
        ReconstructionSelector,
        PanelSelector,
    )
}
"""The estimators, by the name of their task."""


def load(path: str | os.PathLike[str]) -> Any:
    """Load a fitted selector from a file written by ``selector.save``, without running any code.

    All runs and their history are restored, and predictions are bitwise identical. Callbacks,
    checkpoints and metadata requests are not restored.

    Parameters
    ----------
    path : str or Path
        The file.

    Returns
    -------
    selector
        A fitted selector of the class that was saved.

    Raises
    ------
    InputError
        If the file does not exist, is damaged, was not written by ipcae, or was written by a
        newer version.

    See Also
    --------
    ClassificationSelector : Predict classes from the selected features.

    Examples
    --------
    >>> import tempfile
    >>> from sklearn.datasets import load_iris
    >>> from ipcae import ClassificationSelector, load
    >>> X, y = load_iris(return_X_y=True)
    >>> selector = ClassificationSelector(2, max_epochs=5, decoder=(8,), random_state=0).fit(X, y)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     selector.save(f"{folder}/iris.safetensors")
    ...     again = load(f"{folder}/iris.safetensors")
    >>> bool((again.predict_proba(X) == selector.predict_proba(X)).all())
    True
    >>> load("no-such-file.safetensors")
    Traceback (most recent call last):
    ...
    ipcae.errors.InputError: no-such-file.safetensors does not exist.
    """
    path = Path(path).expanduser()
    stored = read_stored(path)
    try:
        selector = _restored(stored)
        _check(selector)
        if hasattr(selector, "channel_names_"):
            return ChannelSelector.restored(selector)
    except Exception as error:  # the checksum is valid, but the content is not
        raise not_understood(path, stored.versions, error) from error
    return selector


def _restored(stored: StoredSelector) -> NeuralSelector:
    classes = {cls.__name__: cls for cls in SELECTORS.values()}
    selector = classes[stored.class_name](**stored.parameters)
    for name, value in stored.learned.items():
        setattr(selector, name, value)
    return selector


def _check(selector: NeuralSelector) -> None:
    """Raise an error if the parts of a selector are inconsistent."""
    check_shapes(selector)
    n_features = selector.n_features_in_
    if selector.constraints_.n_features != n_features:
        raise ValueError("the constraints do not match the features")
    for selection in selector.selections_:
        selector.constraints_.require(selection.features, n_features)
    outputs = selector.decode_selected(selector.scaler_.center[None, selector.selection_.features])
    selector.task_.predictions(outputs)
    if selector.ranking_.shape != (n_features,) or selector.get_support().shape != (n_features,):
        raise ValueError("the ranking does not match the features")
