"""The options of ``select`` that restrict the selection: included columns, groups, costs."""

from __future__ import annotations

import csv
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ipcae.cli.messages import Messages
from ipcae.data.text_format import detect_encoding
from ipcae.errors import InputError
from ipcae.filesystem.special_files import refuse_special
from ipcae.quantities import quantities_in
from ipcae.text import listed

_OPTIONS = {
    "include": "--include",
    "exclude": "--exclude",
    "at_most": "--at-most",
    "feature_groups": "--together",
    "feature_costs": "--costs",
    "budget": "--budget",
}


@dataclass(frozen=True)
class ColumnCosts:
    """A file with the cost of every column, and the group of those measured together."""

    costs: dict[str, float]
    groups: dict[str, list[str]]


def read_costs(path: Path) -> ColumnCosts:
    """Read a table of a column's name, its cost and, optionally, its group.

    A first row without a number is a header. In a group, an empty cost is 0. Costs may have a unit
    and, if they are separated by semicolons, decimal commas.
    """
    if not path.is_file():
        raise InputError(f"--costs {path} does not exist: expected a .csv file of names and costs.")
    refuse_special(path)
    try:
        with path.open("rb") as file:
            encoding = detect_encoding(file)
        lines = path.read_text(encoding).splitlines()
    except ValueError as error:
        raise InputError(f"--costs {path} is not a text file: save it as .csv.") from error
    separator = max(",;\t", key=(lines or [""])[0].count)
    costs: dict[str, float] = {}
    groups: dict[str, list[str]] = {}
    for number, row in enumerate(csv.reader(lines, delimiter=separator), start=1):
        name, cost, group = (*(cell.strip() for cell in row), "", "", "")[:3]
        found = _number(cost, decimal="," if separator == ";" else ".")
        if not name or (number == 1 and found is None):
            continue
        value = 0.0 if group and not cost else found
        if value is None:
            raise InputError(
                f'--costs {path}: the cost of "{name}" in line {number} is {cost!r}: expected a '
                "number."
            )
        if name in costs:
            raise InputError(f'--costs {path}: "{name}" is listed twice (line {number}).')
        costs[name] = value
        if group:
            groups.setdefault(group, []).append(name)
    return ColumnCosts(costs, groups)


def _number(text: str, decimal: str) -> float | None:
    """Return a number, perhaps with a unit, or None if it is another text.

    >>> _number("1.200,50 €", decimal=","), _number("cost", decimal=".")
    (1200.5, None)
    """
    found = quantities_in([text], decimal)
    return None if found is None else float(found[0][0])


def constraint_arguments(options: Any, names: list[str], messages: Messages) -> dict[str, Any]:
    """Return the arguments of an estimator for these options and columns."""
    found: dict[str, Any] = {}
    if options.include:
        found["include"] = list(options.include)
    if options.exclude:
        found["exclude"] = list(options.exclude)
    groups: Any = {pattern: [pattern] for pattern in options.together}
    if options.costs is not None:
        given = read_costs(options.costs)
        unknown = [name for name in given.costs if name not in set(names)]
        if unknown:
            messages.warn(
                f"{options.costs} has names that are not columns to select from "
                f"({listed(unknown)}): they are ignored."
            )
        found["feature_costs"] = {n: c for n, c in given.costs.items() if n in set(names)}
        of_file = {
            g: [n for n in members if n in set(names)] for g, members in given.groups.items()
        }
        groups |= {group: members for group, members in of_file.items() if members}
    if groups:
        found["feature_groups"] = groups
    if options.at_most:
        found["at_most"] = [parse_at_most(text) for text in options.at_most]
    if options.budget is not None:
        found["budget"] = options.budget
    return found


def parse_at_most(text: str) -> tuple[int, str]:
    """Parse ``--at-most``: a number and a column or pattern.

    >>> parse_at_most("1:^EEG_")
    (1, '^EEG_')
    """
    number, colon, columns = text.partition(":")
    if not colon or not columns or not number.strip().isdecimal() or int(number[:9]) < 1:
        raise InputError(
            f"--at-most {text} is not understood: expected a number and a pattern, such as "
            "1:^EEG_ for at most one of the columns whose names begin with EEG_."
        )
    return int(number), columns


def as_options(error: InputError) -> InputError:
    """Return the error with the names of options instead of arguments.

    >>> as_options(InputError("include='x' matches no column."))
    InputError("--include 'x' matches no column.")
    """
    from ipcae.constraints.columns import EXPECTED  # not before ``--help``

    names = "|".join(_OPTIONS)
    text = re.sub(
        rf"^({names})\b(?:\[[^]]*\])?(=?)",
        lambda found: _OPTIONS[found[1]] + (" " if found[2] else ""),
        str(error),
    )
    return InputError(text.replace(EXPECTED, "expected a name or a pattern"))
