"""Loading a fitted selector from a file."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from ipcae.estimators.base import NeuralSelector
from ipcae.estimators.classification import ClassificationSelector
from ipcae.estimators.reconstruction import ReconstructionSelector
from ipcae.estimators.regression import RegressionSelector
from ipcae.files import StoredSelector, not_understood, read_stored
from ipcae.files.shapes import check_shapes

SELECTORS: dict[str, type[NeuralSelector]] = {
    selector._task.name: selector
    for selector in (ClassificationSelector, RegressionSelector, ReconstructionSelector)
}
"""The estimator of every task that can be asked for."""


def load(path: str | os.PathLike[str]) -> Any:
    """Read a fitted selector from a file that ``selector.save`` wrote. No code is read or run.

    All runs are restored, with their history, and the selector predicts the same bit for bit.
    Callbacks, checkpoints and metadata requests are not kept.

    Raises
    ------
    InputError
        If there is no such file, or it is not a file of ipcae, damaged, or written by a newer
        version.

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
    except Exception as error:  # the checksum is right: written by other code, or with intent
        raise not_understood(path, stored.versions, error) from error
    return selector


def _restored(stored: StoredSelector) -> NeuralSelector:
    classes = {cls.__name__: cls for cls in SELECTORS.values()}
    selector = classes[stored.class_name](**stored.parameters)
    for name, value in stored.learned.items():
        setattr(selector, name, value)
    return selector


def _check(selector: NeuralSelector) -> None:
    """Raise an error if the parts of a selector do not fit together."""
    check_shapes(selector)
    n_features = selector.n_features_in_
    outputs = selector.decoder_outputs(selector.scaler_.center[None])
    selector.task_.answers(outputs)
    if selector.ranking_.shape != (n_features,) or selector.get_support().shape != (n_features,):
        raise ValueError("the ranking is not one of the features")
