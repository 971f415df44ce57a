"""The option ``-k``: a number of columns, a fraction of them, several numbers, or auto."""

from __future__ import annotations

from ipcae.errors import InputError
from ipcae.text import count

AUTO = "auto"


def parse_counts(
    text: str | None,
) -> tuple[int | float | None, str | tuple[int | float, ...] | None]:
    """Parse ``-k``: the largest number of columns, and the numbers to compare, if several.

    >>> parse_counts("20"), parse_counts("5,10,20"), parse_counts("auto")
    ((20, None), (20, (5, 10, 20)), (1, 'auto'))
    """
    if text is None:
        return None, None
    if text.strip().lower() == AUTO:
        return 1, AUTO
    parts = [part.strip() for part in text.split(",")]
    if len(parts) == 1:
        return parse_k(parts[0]), None
    numbers = tuple(parse_k(part) for part in parts if part)
    if not numbers:
        raise InputError(f"-k {text} is not understood: expected numbers such as 5,10,20 or auto.")
    return max(numbers), numbers


def parse_k(text: str) -> int | float:
    """Parse ``-k``: a number of columns, or a fraction of them.

    >>> parse_k("20"), parse_k("0.1")
    (20, 0.1)
    """
    try:
        return int(text)
    except ValueError:
        pass
    try:
        number = float(text)
    except ValueError:
        number = float("nan")
    if not 0 < number <= 1:
        raise InputError(
            f"-k {text} is not understood: expected the number of columns to select, such as 20, "
            "several to compare, such as 5,10,20, auto, or a fraction between 0 and 1, such as 0.1."
        )
    return number


def count_features(
    k: int | float | None, n_columns: int, place: str, *, all_usable: bool = True
) -> int:
    """Return the number of columns that ``-k`` stands for, from 1 to the number of columns.

    ``all_usable`` is whether it is known that none of the columns will be left out.

    >>> count_features(0.5, 8, "table.csv")
    4
    """
    if k is None:
        return n_columns
    if isinstance(k, float):
        return max(round(k * n_columns), 1)
    if k < 1:
        raise InputError(f"-k {k} is too small: expected {_range(n_columns)}.")
    if k > n_columns:
        raise InputError(
            f"-k {k} is more than the {count(n_columns, 'column')} of {place} to select from: "
            f"expected {_range(n_columns) if all_usable else 'fewer'}."
        )
    return k


def _range(most: int) -> str:
    return "1" if most == 1 else f"1 to {most:,}"
