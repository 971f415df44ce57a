"""The content of a file: a fitted selector as its class, its arguments and what it learned."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sklearn.utils.validation import check_is_fitted

from ipcae.errors import InputError
from ipcae.files import envelope
from ipcae.files.values import Arrays, NotStorableError, decode, encode
from ipcae.version import __version__, versions

# The one setting of scikit-learn's own that is kept: set_output.
_OUTPUT = "_sklearn_output_config"
# Arguments that belong to one fit and not to its result: code, and a folder of this machine.
_OF_ONE_FIT = {"callbacks": None, "checkpoint": None, "resume": False}


@dataclass(frozen=True)
class StoredSelector:
    """A selector as a file holds it, before its parts are known to fit together."""

    class_name: str
    parameters: Mapping[str, Any]
    learned: Mapping[str, Any]
    versions: Mapping[str, Any]


def save(selector: Any, path: str | os.PathLike[str]) -> None:
    """Write a fitted selector to a safetensors file, which holds numbers and settings only."""
    envelope.write(Path(path).expanduser(), to_bytes(selector))


def read_stored(path: Path) -> StoredSelector:
    """Read a file that :func:`save` wrote. No code is read or run.

    Raises
    ------
    InputError
        If there is no such file, or it is not a file of ipcae, damaged, or written by a newer
        version.
    """
    settings, arrays = envelope.unwrap(envelope.read(path), str(path))
    written_by = settings.get("versions", {}) if isinstance(settings, dict) else {}
    written_by = written_by if isinstance(written_by, dict) else {}
    try:
        learned = {name: decode(value, arrays) for name, value in settings["learned"].items()}
        for name in learned:
            if name != _OUTPUT and not _is_learned(name):
                raise ValueError(f"{name!r} is not the name of anything learned")
        parameters = {name: decode(v, arrays) for name, v in settings["parameters"].items()}
        return StoredSelector(settings["selector"], parameters, learned, written_by)
    except Exception as error:  # the checksum is right: written by other code, or with intent
        raise not_understood(path, written_by, error) from error


def not_understood(path: Path, written_by: Mapping[str, Any], error: Exception) -> InputError:
    """Return the error for a file that is intact but cannot be used."""
    return InputError(
        f"{path} does not hold a selector that ipcae {__version__} understands "
        f"({type(error).__name__}: {error}). It was written by ipcae "
        f"{written_by.get('ipcae', 'of an unknown version')}."
    )


def to_bytes(selector: Any) -> bytes:
    """Return what :func:`save` writes."""
    check_is_fitted(selector)
    if not type(selector).__module__.startswith("ipcae."):
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
        "versions": versions(),
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
