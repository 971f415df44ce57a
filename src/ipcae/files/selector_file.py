"""The content of a file: the class, arguments and fitted attributes of a selector."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sklearn.utils.validation import check_is_fitted

from ipcae.errors import InputError
from ipcae.files import envelope
from ipcae.files.values import Arrays, NotStorableError, decode, encode, require_shallow
from ipcae.filesystem.atomic import write_whole
from ipcae.version import __version__, versions

# The only private attribute that is stored: the setting of set_output.
_OUTPUT = "_sklearn_output_config"
# Arguments that name columns, in containers of any kind.
_COLUMNS = ("include", "exclude", "feature_groups", "at_most", "feature_costs")
# Arguments that are not stored, because they are specific to one fit.
_OF_ONE_FIT = {"callbacks": None, "checkpoint": None, "resume": False}


@dataclass(frozen=True)
class StoredSelector:
    """The content of a file, before its consistency is checked."""

    class_name: str
    parameters: Mapping[str, Any]
    learned: Mapping[str, Any]
    versions: Mapping[str, Any]


def save(selector: Any, path: str | os.PathLike[str]) -> None:
    """Save a fitted selector to a safetensors file, which contains only numbers and settings."""
    write_whole(Path(path).expanduser(), to_bytes(selector))


def read_stored(path: Path) -> StoredSelector:
    """Read a file written by :func:`save`, without running any code.

    Raises
    ------
    InputError
        If the file does not exist, is damaged, was not written by ipcae, or was written by a
        newer version.
    """
    settings, arrays = envelope.unwrap(envelope.read(path), str(path))
    written_by = settings.get("versions", {}) if isinstance(settings, dict) else {}
    written_by = written_by if isinstance(written_by, dict) else {}
    try:
        require_shallow(settings)
        learned = {name: decode(value, arrays) for name, value in settings["learned"].items()}
        for name in learned:
            if name != _OUTPUT and not _is_learned(name):
                raise ValueError(f"{name!r} is not the name of a fitted attribute")
        parameters = {name: decode(v, arrays) for name, v in settings["parameters"].items()}
        return StoredSelector(settings["selector"], parameters, learned, written_by)
    except Exception as error:  # the checksum is valid, but the content is not
        raise not_understood(path, written_by, error) from error


def not_understood(path: Path, written_by: Mapping[str, Any], error: Exception) -> InputError:
    """Return the error for an intact file with invalid content."""
    return InputError(
        f"{path} does not contain a selector that ipcae {__version__} can read "
        f"({type(error).__name__}: {error}). It was written by ipcae "
        f"{written_by.get('ipcae', 'of an unknown version')}."
    )


def to_bytes(selector: Any) -> bytes:
    """Return the content that :func:`save` writes."""
    check_is_fitted(selector)
    if not type(selector).__module__.startswith("ipcae."):
        raise InputError(
            f"{type(selector).__name__} is not a class of ipcae and cannot be saved: use pickle or "
            "joblib instead."
        )
    arrays: Arrays = {}
    parameters = {**selector.get_params(deep=False), **_OF_ONE_FIT}
    parameters |= {name: _plain(parameters[name]) for name in _COLUMNS if name in parameters}
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


def _plain(value: Any) -> Any:
    """Return columns or costs in lists, tuples, dicts and arrays.

    >>> _plain({"a": range(2)}), _plain([(1, {"x"})])
    ({'a': [0, 1]}, [(1, ['x'])])
    """
    if hasattr(value, "to_dict") and all(isinstance(key, str) for key in value.to_dict()):
        return value.to_dict()  # a Series with names
    if isinstance(value, Mapping):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, tuple | list):
        return type(value)(_plain(item) for item in value)
    if isinstance(value, set | frozenset | range):
        return sorted(value)
    is_column = hasattr(value, "to_numpy")  # a Series, an Index
    return value.to_numpy() if is_column else value


def _is_learned(name: str) -> bool:
    return name.endswith("_") and not name.startswith("_")


def _encoded(values: dict[str, Any], prefix: str, arrays: Arrays) -> dict[str, Any]:
    encoded = {}
    for name, value in values.items():
        try:
            encoded[name] = encode(value, prefix + name, arrays)
        except NotStorableError as error:
            raise InputError(
                f"{name} cannot be saved: {error}, and the file cannot contain anything else. Use "
                "pickle or joblib instead."
            ) from error
    return encoded
