"""The options of a command with many of them, in sections of its help."""

from __future__ import annotations

from typing import Any

from ipcae.cli.commands.single_columns import ColumnCommand

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
