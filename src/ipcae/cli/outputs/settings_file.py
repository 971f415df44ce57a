"""settings.json: everything that is needed to repeat a selection, written and read again."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd

from ipcae.cli.experiment_result import Result
from ipcae.cli.inputs.input_table import InputTable
from ipcae.cli.options.selection_options import DATES, MISSING
from ipcae.errors import InputError
from ipcae.estimators import SELECTORS
from ipcae.version import versions

Check = Callable[[Any], bool]

MAX_BYTES = 10_000_000


def settings_of(result: Result, arguments: dict[str, Any]) -> dict[str, Any]:
    """Return the content of settings.json: the arguments, the data, the selector, the versions."""
    experiment, selector = result.experiment, result.selector
    table = experiment.table
    return {
        "arguments": arguments,
        "table": {**table.source, "rows": len(table.X), "columns": table.X.shape[1]},
        "columns": described_columns(table),
        "batches": result.batch_scores,
        "task": table.task.name,
        "task_reason": table.task.reason,
        "target": table.target,
        "selector": type(selector).__name__,
        "parameters": selector.get_params(deep=False),
        "method": selector.method_,
        "method_reason": selector.method_reason_,
        "decoders": selector.decoders_,
        "scale": selector.scaler_.kind,
        "seeds": {"rows": experiment.options.seed, "runs": selector.run_seeds_},
        "seconds": round(selector.fit_seconds_, 3),
        "versions": {**versions(), "pandas": pd.__version__},
        "warnings": result.warnings,
    }


def described_columns(table: InputTable) -> list[dict[str, Any]]:
    """Return what was done with columns that are not plain numbers."""
    rows = [] if table.columns is None else table.columns.rows(every=False)
    return [dict(zip(("name", "kind", "missing", "use"), row, strict=True)) for row in rows]


def _is_string(value: Any) -> bool:
    return isinstance(value, str)


def _is_optional_string(value: Any) -> bool:
    return value is None or _is_string(value)


def _is_count(value: Any) -> bool:
    return type(value) is int and value >= 1


def _is_fraction(value: Any) -> bool:
    return type(value) is float and 0 < value <= 1


def _is_flat(value: Any) -> bool:
    """Return whether a value is a dict of single values and of lists of single values."""
    return isinstance(value, dict) and not any(
        isinstance(item, dict)
        or (isinstance(item, list) and any(isinstance(part, dict | list) for part in item))
        for item in value.values()
    )


def _are_strings(value: Any) -> bool:
    return isinstance(value, list) and all(map(_is_string, value))


def _are_columns(value: Any) -> bool:
    return isinstance(value, list) and all(
        isinstance(row, dict) and all(_is_string(row.get(key)) for key in ("name", "kind", "use"))
        for row in value
    )


def _is_grid(value: Any) -> bool:
    return value is None or (
        isinstance(value, list) and len(value) == 2 and all(map(_is_count, value))
    )


# What every report needs, and what is needed to split the rows of a file as before.
_ALWAYS: dict[tuple[str, ...], tuple[Check, str]] = {
    ("arguments",): (_is_flat, "an object with the arguments of the command"),
    ("table",): (_is_flat, "an object that describes the table"),
    ("warnings",): (_are_strings, "a list of strings"),
    ("columns",): (_are_columns, "a list of columns"),
    ("arguments", "grid"): (_is_grid, "rows and columns, or null"),
}
_OF_A_FILE: dict[tuple[str, ...], tuple[Check, str]] = {
    ("table", "path"): (_is_string, "a string"),
    ("table", "sha256"): (_is_string, "a string"),
    ("target",): (_is_optional_string, "a string or null"),
    ("task",): (
        lambda v: _is_string(v) and v in SELECTORS,
        f"one of {', '.join(SELECTORS)}",
    ),
    ("arguments", "drop"): (_are_strings, "a list of strings"),
    ("arguments", "id"): (_are_strings, "a list of strings"),
    ("arguments", "sep"): (_is_optional_string, "a string or null"),
    ("arguments", "decimal"): (_is_optional_string, "a string or null"),
    ("arguments", "encoding"): (_is_optional_string, "a string or null"),
    ("arguments", "missing"): (lambda v: v in MISSING, f"one of {', '.join(MISSING)}"),
    ("arguments", "dates"): (lambda v: v in DATES, f"one of {', '.join(DATES)}"),
    ("arguments", "n_features"): (
        lambda v: v is None or _is_count(v) or _is_fraction(v),
        "a number of columns, a fraction of them, or null",
    ),
    ("arguments", "test_fraction"): (lambda v: _is_fraction(v) and v < 1, "between 0 and 1"),
    ("arguments", "seed"): (
        lambda v: type(v) is int and 0 <= v < 2**32,
        "an integer from 0 to 4294967295",
    ),
}


def read_settings(path: Path) -> dict[str, Any]:
    """Read a settings.json that ``select`` or ``demo`` wrote.

    The file may have been edited: raise an error if a value is missing or invalid.
    """
    if path.stat().st_size > MAX_BYTES:
        raise _damaged(path, f"it is larger than {MAX_BYTES / 1e6:.0f} MB")
    try:
        settings = json.loads(path.read_text(encoding="utf-8"))
    except (ValueError, RecursionError) as error:
        raise _damaged(path, str(error) or "it is nested too deeply") from error
    if not isinstance(settings, dict):
        raise _damaged(path, "it is not a JSON object")
    _check(settings, _ALWAYS, path)
    if "name" in settings["table"]:  # a scikit-learn data set, not a file
        if not _is_string(settings["table"]["name"]):
            raise _damaged(path, "table.name is not a string")
    else:
        _check(settings, _OF_A_FILE, path)
    return settings


def _check(
    settings: dict[str, Any], schema: dict[tuple[str, ...], tuple[Check, str]], path: Path
) -> None:
    for keys, (is_valid, expected) in schema.items():
        value: Any = settings
        for key in keys:
            if key not in value:
                raise _damaged(path, f"{'.'.join(keys)} is missing")
            value = value[key]
        if not is_valid(value):
            raise _damaged(path, f"{'.'.join(keys)} is not {expected}")


def _damaged(path: Path, reason: str) -> InputError:
    return InputError(f"{path} is damaged ({reason}): undo the edit, or run ipcae select again.")
