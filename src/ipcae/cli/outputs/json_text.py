"""Values of any type as JSON text."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import numpy as np


def to_json(value: dict[str, Any]) -> str:
    """Return the content of a JSON file."""
    return json.dumps(plain(value), indent=2, ensure_ascii=False, allow_nan=False) + "\n"


def plain(value: Any) -> Any:
    """Convert a value to types that JSON has; numbers that are not finite become null.

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
