"""Everything that is needed to repeat a selection."""

from __future__ import annotations

import hashlib
import math
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from ipcae.cli.experiment import Result
from ipcae.version import versions


def describe(result: Result, arguments: dict[str, Any], source: dict[str, Any]) -> dict[str, Any]:
    """Return the content of settings.json: the command, the selector, the data, the versions."""
    experiment, selector = result.experiment, result.selector
    problem = experiment.problem
    return {
        "arguments": arguments,
        "table": {**source, "rows": len(problem.X), "columns": problem.X.shape[1]},
        "task": problem.task.name,
        "task_reason": problem.task.reason,
        "target": problem.target,
        "selector": type(selector).__name__,
        "parameters": selector.get_params(deep=False),
        "scale": selector.scaler_.kind,
        "seeds": {"rows": experiment.options.seed, "runs": selector.run_seeds_},
        "seconds": round(selector.fit_seconds_, 3),
        "versions": {**versions(), "pandas": pd.__version__},
        "warnings": result.warnings,
    }


def describe_file(path: Path) -> dict[str, Any]:
    """Return what tells this file from another of the same name."""
    with path.open("rb") as file:
        digest = hashlib.file_digest(file, "sha256")
    return {"path": str(path), "bytes": path.stat().st_size, "sha256": digest.hexdigest()}


def plain(value: Any) -> Any:
    """Turn a value into what JSON can hold; numbers that are not finite become null.

    >>> plain({"a": np.float32(0.5), "b": (1, float("nan")), "c": Path("x")})
    {'a': 0.5, 'b': [1, None], 'c': 'x'}
    """
    if isinstance(value, dict):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    if isinstance(value, np.ndarray | np.generic):
        return plain(value.tolist())
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if value is None or isinstance(value, str | int):
        return value
    return str(value) if isinstance(value, Path) else repr(value)
