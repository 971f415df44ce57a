"""A fitted selector in a file, and out of it."""

from __future__ import annotations

import os
import platform
from pathlib import Path
from typing import Any

import numpy as np
import sklearn
import torch
from sklearn.utils.validation import check_is_fitted

from ipcae.errors import InputError
from ipcae.estimators.base import NeuralSelector
from ipcae.files import envelope
from ipcae.files.kinds import SELECTORS
from ipcae.files.shapes import check_shapes
from ipcae.files.values import Arrays, NotStorableError, decode, encode
from ipcae.version import __version__

# The one setting of scikit-learn's own that is kept: set_output.
_OUTPUT = "_sklearn_output_config"
# Settings that belong to the fit and not to what it found: code, and a folder of this machine.
_OF_ONE_FIT = {"callbacks": None, "checkpoint": None, "resume": False}


def save(selector: NeuralSelector, path: str | os.PathLike[str]) -> None:
    """Write a fitted selector to a safetensors file, which holds numbers and settings only.

    All runs are kept, with their history; what :func:`load` returns answers bit for bit as
    ``selector`` does. Callbacks, checkpoints and requests of metadata routing are
    not kept.

    Parameters
    ----------
    selector : ClassificationSelector, RegressionSelector or ReconstructionSelector
    path : str or path
        The file, by custom with the ending ``.safetensors``; one that is there is replaced, as a
        whole.

    Raises
    ------
    InputError
        If the selector holds code, such as a decoder or a loss that is a function: such a one
        can be pickled. Nothing is written then.
    NotFittedError
        If it was not fitted.

    Examples
    --------
    >>> import tempfile
    >>> from sklearn.datasets import load_iris
    >>> from ipcae import ClassificationSelector
    >>> X, y = load_iris(return_X_y=True)
    >>> selector = ClassificationSelector(2, max_epochs=5, decoder=(8,), random_state=0).fit(X, y)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     save(selector, f"{folder}/iris.safetensors")
    ...     again = load(f"{folder}/iris.safetensors")
    >>> bool((again.predict_proba(X) == selector.predict_proba(X)).all())
    True
    """
    envelope.write(Path(path).expanduser(), to_bytes(selector))


def load(path: str | os.PathLike[str]) -> Any:
    """Read a fitted selector from a file that :func:`save` wrote. No code is read or run.

    Raises
    ------
    InputError
        If there is no such file, or it is not of ipcae, damaged, or written by a newer version.

    Examples
    --------
    >>> load("no-such-file.safetensors")
    Traceback (most recent call last):
    ...
    ipcae.errors.InputError: no-such-file.safetensors does not exist.
    """
    path = Path(path).expanduser()
    settings, arrays = envelope.unwrap(envelope.read(path), str(path))
    try:
        selector = _restored(settings, arrays)
        _check_answers(selector)
    except Exception as error:  # the checksum is right: written by other code, or with intent
        versions = settings.get("versions", {}) if isinstance(settings, dict) else {}
        raise InputError(
            f"{path} does not hold a selector that this ipcae {__version__} understands "
            f"({type(error).__name__}: {error}). It says it was written by ipcae "
            f"{versions.get('ipcae', 'of no version') if isinstance(versions, dict) else '?'}."
        ) from error
    return selector


def to_bytes(selector: NeuralSelector) -> bytes:
    """Return what :func:`save` writes."""
    check_is_fitted(selector)
    if SELECTORS.get(type(selector).__name__) is not type(selector):
        raise InputError(
            f"{type(selector).__name__} is a class of your own, which a file cannot hold: use "
            "pickle or joblib for it."
        )
    arrays: Arrays = {}
    parameters = {**selector.get_params(deep=False), **_OF_ONE_FIT}
    learned = {
        name: value
        for name, value in vars(selector).items()
        if _is_learned(name) or (name == _OUTPUT and value)
    }
    settings = {
        "selector": type(selector).__name__,
        "versions": {
            "ipcae": __version__,
            "python": platform.python_version(),
            "torch": torch.__version__,
            "numpy": np.__version__,
            "scikit-learn": sklearn.__version__,
        },
        "parameters": _encoded(parameters, "parameters.", arrays),
        "learned": _encoded(learned, "", arrays),
    }
    return envelope.wrap(settings, arrays)


def _is_learned(name: str) -> bool:
    return name.endswith("_") and not name.startswith("_")


def _encoded(values: dict[str, Any], prefix: str, arrays: Arrays) -> dict[str, Any]:
    encoded = {}
    for name, value in values.items():
        try:
            encoded[name] = encode(value, prefix + name, arrays)
        except NotStorableError as error:
            raise InputError(
                f"{name} cannot be saved: {error}, and the file holds nothing else. Use pickle or "
                "joblib for this selector."
            ) from error
    return encoded


def _restored(settings: dict[str, Any], arrays: Arrays) -> NeuralSelector:
    parameters = {name: decode(v, arrays) for name, v in settings["parameters"].items()}
    selector = SELECTORS[settings["selector"]](**parameters)
    for name, value in settings["learned"].items():
        if name != _OUTPUT and not _is_learned(name):
            raise ValueError(f"{name!r} is not the name of anything learned")
        setattr(selector, name, decode(value, arrays))
    return selector


def _check_answers(selector: NeuralSelector) -> None:
    """Refuse a selector whose parts do not fit together, before somebody relies on it."""
    check_shapes(selector)
    n_features = selector.n_features_in_
    n_outputs = selector._outputs(torch.zeros(1, n_features)).shape[1]
    expected = len(selector.classes_) if hasattr(selector, "classes_") else None
    if expected not in (None, n_outputs):
        raise ValueError(f"{n_outputs} outputs for {expected} classes")
    if selector.ranking_.shape != (n_features,) or selector.get_support().shape != (n_features,):
        raise ValueError("the ranking is not one of the features")
