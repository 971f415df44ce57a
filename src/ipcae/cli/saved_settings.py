"""Reading settings.json again: every value is looked at before it is used."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from ipcae.cli.task import CHOICES
from ipcae.errors import InputError

Check = Callable[[Any], bool]

MOST_BYTES = 10_000_000


def _is_text(value: Any) -> bool:
    return isinstance(value, str)


def _is_count(value: Any) -> bool:
    return type(value) is int and value >= 1


def _is_share(value: Any) -> bool:
    return type(value) is float and 0 < value <= 1


def _is_flat(value: Any) -> bool:
    """Whether it is a table of single values and lists of them, as people read it."""
    return isinstance(value, dict) and not any(
        isinstance(item, dict) or (isinstance(item, list) and any(map(_is_container, item)))
        for item in value.values()
    )


def _is_container(value: Any) -> bool:
    return isinstance(value, dict | list)


def _is_texts(value: Any) -> bool:
    return isinstance(value, list) and all(map(_is_text, value))


def _is_grid(value: Any) -> bool:
    return value is None or (
        isinstance(value, list) and len(value) == 2 and all(map(_is_count, value))
    )


# What a report needs of the settings, and what it needs to divide the rows of the table as before.
_ALWAYS: dict[tuple[str, ...], tuple[Check, str]] = {
    ("arguments",): (_is_flat, "the arguments of the command"),
    ("table",): (_is_flat, "what is known of the table"),
    ("warnings",): (_is_texts, "a list of texts"),
    ("arguments", "grid"): (_is_grid, "rows and columns, or null"),
}
_OF_A_FILE: dict[tuple[str, ...], tuple[Check, str]] = {
    ("table", "path"): (_is_text, "a text"),
    ("table", "sha256"): (_is_text, "a text"),
    ("target",): (lambda v: v is None or _is_text(v), "a text or null"),
    ("task",): (
        lambda v: v in CHOICES,
        f"one of {', '.join(CHOICES)}",
    ),
    ("arguments", "drop"): (_is_texts, "a list of texts"),
    ("arguments", "drop_missing"): (lambda v: isinstance(v, bool), "true or false"),
    ("arguments", "n_features"): (
        lambda v: _is_count(v) or _is_share(v),
        "a number of columns, or a fraction of them",
    ),
    ("arguments", "test_fraction"): (lambda v: _is_share(v) and v < 1, "between 0 and 1"),
    ("arguments", "seed"): (
        lambda v: type(v) is int and 0 <= v < 2**32,
        "a whole number from 0",
    ),
}


def read_settings(path: Path) -> dict[str, Any]:
    """Return the content of a settings.json that ``select`` or ``demo`` wrote.

    Raises
    ------
    InputError
        If something is missing or of another kind than it was written.
    """
    if path.stat().st_size > MOST_BYTES:
        raise _damaged(path, f"it is longer than {MOST_BYTES / 1e6:.0f} MB")
    try:
        settings = json.loads(path.read_text(encoding="utf-8"))
    except (ValueError, RecursionError) as error:
        raise _damaged(path, str(error) or "too deep") from error
    if not isinstance(settings, dict):
        raise _damaged(path, "it is no JSON object")
    _check(settings, _ALWAYS, path)
    if "name" in settings["table"]:  # of scikit-learn: there is no file to read again
        if not _is_text(settings["table"]["name"]):
            raise _damaged(path, "table.name is not a text")
    else:
        _check(settings, _OF_A_FILE, path)
    return settings


def _check(
    settings: dict[str, Any], schema: dict[tuple[str, ...], tuple[Check, str]], path: Path
) -> None:
    for keys, (is_right, expected) in schema.items():
        value: Any = settings
        for key in keys:
            if key not in value:
                raise _damaged(path, f"{'.'.join(keys)} is missing")
            value = value[key]
        if not is_right(value):
            raise _damaged(path, f"{'.'.join(keys)} is not {expected}")


def _damaged(path: Path, reason: str) -> InputError:
    return InputError(f"{path} is damaged ({reason}): restore it, or run ipcae select again.")
