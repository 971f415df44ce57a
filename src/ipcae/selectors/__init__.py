"""The parts that choose features, and the names by which people ask for them."""

from __future__ import annotations

import difflib

from ipcae.errors import InputError
from ipcae.parametrizations import Diagonal, Direct, Full, MlpLogits, Scalar
from ipcae.selectors.base import Selector
from ipcae.selectors.concrete import Concrete

# NOTE[DIFF]: "ip-cae" has P = min(D, 128) and draws noise eight times a batch; the paper has P = D
# and a draw per row. ``paper_settings`` asks for the paper's.
METHODS: dict[str, Selector] = {
    "ip-cae": Concrete(Full()),
    "cae": Concrete(Direct()),
    "ip-cae-diagonal": Concrete(Diagonal()),
    "ip-cae-scalar": Concrete(Scalar()),
    "ip-cae-mlp": Concrete(MlpLogits()),
}


def method_named(method: str | Selector) -> Selector:
    """Return the selector of that name; a selector is returned as it is.

    >>> method_named("cae").parametrization
    Direct()
    """
    if not isinstance(method, str):
        if not hasattr(method, "select"):
            raise InputError(
                f"Unknown method {method!r}: expected one of {', '.join(METHODS)}, or a selector "
                "such as Concrete(Full(size=64))."
            )
        return method
    if method not in METHODS:
        near = difflib.get_close_matches(method.lower().replace("_", "-"), METHODS, n=1)
        hint = f" Did you mean {near[0]!r}?" if near else ""
        raise InputError(f"Unknown method {method!r}: expected one of {', '.join(METHODS)}.{hint}")
    return METHODS[method]


__all__ = ["METHODS", "Concrete", "Selector", "method_named"]
