"""Options that name one column: giving several is an error, not a matter of the last one."""

from __future__ import annotations

from collections import Counter
from typing import Any

import typer
from typer.core import TyperCommand


class ColumnCommand(TyperCommand):
    """A command whose options for one column, such as ``--target``, may not be repeated."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Parse the arguments, or raise an error if a column is named where another one was."""
        given = Counter(self.make_parser(ctx).parse_args(list(args))[2])
        for option, times in given.items():
            if option.metavar == "COLUMN" and times > 1 and not getattr(option, "multiple", False):
                advice = ""
                if option.name == "target":
                    advice = (
                        ". Drop the others with --drop. Several targets can be predicted in "
                        "Python: fit(X, y) takes a y with one column per target"
                    )
                raise typer.BadParameter(
                    f"expected one column, got {times}{advice}.", ctx, param_hint=option.opts[0]
                )
        return super().parse_args(ctx, args)
