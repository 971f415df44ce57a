"""Text columns of a file with decimal commas: numbers with units or separators of thousands."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ipcae.quantities import quantities_in, split_limits

if TYPE_CHECKING:
    import pandas as pd


def with_decimal_points(table: pd.DataFrame) -> pd.DataFrame:
    """Return a table whose numbers with a unit, or as "<0,5", are written with decimal points.

    Numbers with separators of thousands, which pandas reads as text, become numbers.

    >>> import pandas as pd
    >>> with_decimal_points(pd.DataFrame({"price": ["9.360 EUR", "8,5 EUR"], "n": ["1.200", "9"]}))
            price       n
    0  9360.0 EUR  1200.0
    1     8.5 EUR     9.0
    """
    changed: dict[Any, Any] = {}
    for name, column in table.items():
        if getattr(column.dtype, "kind", "O") in "biuf":
            continue
        texts = [
            None if missing else str(v) for v, missing in zip(column, column.isna(), strict=True)
        ]
        signs, bare = split_limits(texts)
        found = quantities_in(bare, decimal=",")
        if found is not None:
            values, unit = found
            shown = [
                None if np.isnan(value) else f"{sign}{value!r} {unit}".rstrip()
                for sign, value in zip(signs, values.tolist(), strict=True)
            ]
            changed[name] = shown if unit or any(signs) else values
    return table.assign(**changed)
