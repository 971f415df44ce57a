"""Commands that refuse repeated options of one column, and list their options in sections."""

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


SECTIONS = {
    "Options": "k target out task method time event",
    "Table": (
        "drop id groups weights missing missing_value drop_missing dates "
        "sep decimal encoding stream grid"
    ),
    "Single cells (.h5ad)": "layer batch_key expression_limits reconstruction_weight",
    "Constraints": "include exclude together at_most costs budget",
    "Number of columns": "cv scoring",
    "Reliability": "test_fraction no_verdict stability consensus fdr",
    "Training": (
        "runs epochs seed class_weight loss device checkpoint resume spread live live_port"
    ),
    "Output": "force quiet help",
}


class SectionedCommand(ColumnCommand):
    """A command whose help lists the options by section."""

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """Write the arguments, and then the options of every section."""
        records = {param.name: param.get_help_record(ctx) for param in self.get_params(ctx)}
        listed = {title: names.split() for title, names in SECTIONS.items()}
        options = {name for names in listed.values() for name in names}
        arguments = [name for name in records if name not in options]
        for title, names in {"Arguments": arguments, **listed}.items():
            shown = [records[name] for name in names if records.get(name) is not None]
            if shown:
                with formatter.section(title):
                    formatter.write_dl(shown)
