"""Warn of rows that depend on each other, although no groups were given."""

from __future__ import annotations

from shlex import quote

from ipcae.cli.messages import Messages
from ipcae.tables.dependence import Dependence


def warn_of_dependence(found: Dependence, messages: Messages) -> None:
    """Say what was found, and what to do about it."""
    for name, sign in found.signs.items():
        messages.warn(f"{sign}: {_advice(name, found)}")


def _advice(name: str, found: Dependence) -> str:
    if name == "identifiers":
        return (
            f"if so, use --groups {quote(found.identifiers[0])}, because results are too "
            "optimistic if only some of these rows are held out."
        )
    if name == "time_order":
        use = "with a column of dates and times, or one such as the day or the batch"
        return (
            "held-out rows lie between training rows, so results are too optimistic, and columns "
            "of noise may be selected. Use --groups "
            f"{quote(found.time_order) if found.time_order else use}."
        )
    if name == "n_repeated":
        return (
            "held-out rows may be copies of training rows, so results are too optimistic. Remove "
            "the copies."
        )
    if name == "n_near":
        return (
            "held-out rows resemble training rows, so results are too optimistic. Use --groups "
            "with a column that identifies rows that belong together, or replace these rows by "
            "their mean."
        )
    if found.batch is not None and name == "batch":
        return (
            "columns that only distinguish its values may be selected, and predict held-out rows "
            f"with the same values. Use --groups {quote(found.batch)}."
        )
    if found.beginnings is not None and name == "beginnings":
        column = found.beginnings[0]
        use = f"Use --groups {quote(column)}"
        unnamed = "Name the first column in the file, and use --groups with this name"
        return (
            "held-out rows resemble training rows, so results are too optimistic. "
            f"{use if column else unnamed}."
        )
    return (
        "if they belong together, such as those of a patient, held-out rows resemble training "
        "rows, and results are too optimistic. Use --groups "
        f"{quote(found.same_target or found.alike or '')}."
    )
