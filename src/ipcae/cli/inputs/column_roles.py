"""The columns of a table that are not features: the target, groups, weights, and dropped ones."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pandas as pd

from ipcae.cli.inputs import columns
from ipcae.cli.inputs.finding_columns import column_named, columns_to_drop, target_named
from ipcae.cli.inputs.survival_target import survival_columns, survival_target
from ipcae.cli.inputs.target_column import clean_target
from ipcae.cli.options.selection_options import InputOptions
from ipcae.errors import InputError


@dataclass(frozen=True)
class ColumnRoles:
    """The columns that are not features: target, or time and event, groups, weights, and others."""

    target: str | None
    survival: tuple[str, str] | None
    groups: str | None
    weights: str | None
    dropped: list[str]

    @classmethod
    def of(cls, table: pd.DataFrame, options: InputOptions) -> ColumnRoles:
        """Find the columns that options name; raise an error if there are none, or one twice."""
        place, names = str(options.table), [str(name) for name in table.columns]
        target = options.target
        if target is not None:
            target = target_named(target, names, place, lambda: table)
            if content := columns.nested(table[target]):
                raise InputError(
                    f'column "{target}" of {place} contains {content}: expected a number or a text '
                    "in every row. Choose another --target."
                )
        dropped = columns_to_drop(options.drop, names, place, target)
        dropped += [column_named(name, names, place, "--id") for name in options.id]

        def other_than_target(name: str | None, option: str) -> str | None:
            if name is None:
                return None
            found = column_named(name, names, place, option)
            if found == target:
                raise InputError(f'"{target}" is the --target: it cannot be {option} as well.')
            return found

        groups = other_than_target(options.groups, "--groups")
        weights = other_than_target(options.weights, "--weights")
        if target in dropped:
            option = "dropped with --drop" if target in options.drop else "an --id"
            raise InputError(f'"{target}" is the --target: it cannot be {option} as well.')
        return cls(target, survival_columns(options, names, place), groups, weights, dropped)

    @property
    def columns(self) -> list[str]:
        """All of these columns."""
        single = self.groups, self.weights, self.target
        return [
            *self.dropped,
            *(self.survival or ()),
            *(name for name in single if name is not None),
        ]

    @property
    def target_name(self) -> str | None:
        """The name of what is predicted."""
        return self.target if self.survival is None else " and ".join(self.survival)

    def target_in(self, table: pd.DataFrame, options: InputOptions) -> Any:
        """Return the target, or time and event, or None."""
        if self.survival is not None:
            return survival_target(table, self.survival, options)
        if self.target is None:
            return None
        return clean_target(table[self.target].reset_index(drop=True))
