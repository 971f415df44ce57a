"""Finding the columns that options name, without reading the table."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

from ipcae.cli.names import from_cell
from ipcae.errors import InputError
from ipcae.quantities import is_number
from ipcae.text import listed, shortened, similar_name

if TYPE_CHECKING:
    import pandas as pd


def column_named(name: str, names: Sequence[str], place: str, option: str) -> str:
    """Return the name of a column, or raise an error that suggests the most similar name.

    Names that look the same are the same: an ä may be one character or two, and a space may be one
    that does not break, or a line break.

    >>> column_named("blood group", ["age", "blood\\u00a0group "], "table.csv", "--target")
    'blood\\xa0group '
    >>> column_named("lable", ["size", "label"], "table.csv", "--target")
    Traceback (most recent call last):
    ...
    ipcae.errors.InputError: table.csv has no column "lable" (--target): did you mean "label"?
    """
    if name in names:
        return name
    if from_cell(name) in names:  # as it is written in ranking.csv
        return from_cell(name)
    alike = [other for other in names if _looks(other) == _looks(name)]
    if len(alike) == 1:
        return alike[0]
    near = similar_name(name, names)
    advice = f"it has {listed([shortened(str(n), 40) for n in names]) or 'none'}."
    if sum(map(is_number, names)) > len(names) / 2:
        advice += " If these are values, add a first line with the column names."
    if near:
        advice = f'did you mean "{near}"?'
    raise InputError(f'{place} has no column "{name}" ({option}): {advice}')


def _looks(name: str) -> str:
    """Return a name with one code for what looks the same."""
    return " ".join(unicodedata.normalize("NFKC", name).split())


def target_named(
    name: str, names: Sequence[str], place: str, read: Callable[[], pd.DataFrame] | None
) -> str:
    """Return the name of the target, or raise an error that says if it is a row of the table."""
    try:
        return column_named(name, names, place, "--target")
    except InputError as error:
        if read is None:
            raise
        from ipcae.cli.inputs.warnings.other_layouts import advice_on_rows

        raise InputError(f"{error}{advice_on_rows(read(), name)}") from None


def columns_in_list(
    wanted: Sequence[str], names: Sequence[str], place: str, others: Mapping[str, str]
) -> list[str]:
    """Return the columns of a list, or raise an error that names all that cannot be used.

    ``others`` says why other columns of the file cannot be used.

    >>> columns_in_list(["Age", "wt"], ["age", "weight"], "t.csv", {})
    Traceback (most recent call last):
    ...
    ipcae.errors.InputError: t.csv has no columns "Age", "wt" (--features): did you mean "age"?
    """
    known = set(names)
    unknown = [name for name in wanted if name not in known and from_cell(name) not in known]
    reasons = [f'"{name}": {others[name]}' for name in unknown if name in others]
    if reasons:
        raise InputError(
            f"--features has columns of {place} that cannot be used: {listed(reasons)}."
        )
    if any(re.search("[,;\t]", name) for name in unknown):
        raise InputError(
            f'{place} has no column "{shortened(unknown[0], 60)}" (--features): expected one '
            "column name per line, and nothing else."
        )
    if len(unknown) > 1:
        near = [f'"{other}"' for name in unknown if (other := similar_name(name, names))]
        advice = f"did you mean {listed(near)}?" if near else f"it has {listed(names)}."
        quoted = listed([f'"{name}"' for name in unknown])
        raise InputError(f"{place} has no columns {quoted} (--features): {advice}")
    return [column_named(name, names, place, "--features") for name in wanted]


def columns_to_drop(
    drop: Sequence[str], names: Sequence[str], place: str, target: str | None
) -> list[str]:
    """Return the columns that ``--drop`` names, or whose names match its regular expressions.

    A pattern does not match the target.

    >>> names = ["MT-CO1", "MT-CO2", "CD4", "kind"]
    >>> columns_to_drop(["^MT-", "CD4"], names, "table.csv", target=None)
    ['MT-CO1', 'MT-CO2', 'CD4']
    """
    found: dict[str, None] = {}
    known = set(names)
    for text in drop:
        matching = [] if text in known else _matching(text, names)
        matching = [name for name in matching if name != target]
        for name in matching or [column_named(text, names, place, "--drop")]:
            found[name] = None
    return list(found)


def _matching(pattern: str, names: Sequence[str]) -> list[str]:
    # A plain word is a name, perhaps misspelled, and not part of other names.
    if re.fullmatch(r"[\w\s-]*", pattern):
        return []
    try:
        search = re.compile(pattern).search
    except re.error:
        return []
    return [name for name in names if search(name)]


def split_event(option: str, names: Sequence[str]) -> tuple[str, str | None]:
    """Return the column, and the value if one is given.

    >>> split_event("status=2", ["time", "status"]), split_event("dead", ["time", "dead"])
    (('status', '2'), ('dead', None))
    >>> split_event("a=b", ["time", "a=b"])
    ('a=b', None)
    """
    if option in names or "=" not in option:
        return option, None
    column, _, value = option.rpartition("=")
    return column.strip(), value.strip()
