"""Parameters of the parts of an estimator, such as ``decoder__dropout``."""

from __future__ import annotations

from dataclasses import fields, is_dataclass, replace
from typing import Any

from ipcae.errors import InputError


def with_parameter(part: Any, name: str, value: Any, path: str) -> Any:
    """Return a copy of a part with another value of a parameter, which may be nested.

    Parts are frozen dataclasses, such as decoders, methods and schedules. ``path`` is the name of
    the part, for errors.

    >>> from ipcae import Concrete, Linear, Mlp
    >>> with_parameter(Mlp(), "dropout", 0.1, "decoder").dropout
    0.1
    >>> method = Concrete(temperature=Linear(10.0, 0.1))
    >>> with_parameter(method, "temperature__end", 0.5, "method").temperature
    Linear(start=10.0, end=0.5)
    """
    own, _, rest = name.partition("__")
    known = (
        [f.name for f in fields(part)] if is_dataclass(part) and not isinstance(part, type) else []
    )
    if own not in known:
        advice = f"expected one of {', '.join(known)}" if known else "set it to an object first"
        raise InputError(f"{path}={part!r} has no parameter {own!r}: {advice}.")
    if rest:
        value = with_parameter(getattr(part, own), rest, value, f"{path}__{own}")
    return replace(part, **{own: value})
