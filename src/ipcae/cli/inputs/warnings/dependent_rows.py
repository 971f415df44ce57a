"""Warn of rows that depend on each other, although no groups were given."""

from __future__ import annotations

from shlex import quote

from ipcae.cli.messages import Messages
from ipcae.tables.dependence import Dependence

_IF_TOGETHER = (
    "if they belong together, such as those of a patient, held-out rows resemble training rows, "
    "and results are too optimistic. {use}."
)
_ADVICE = {
    "identifiers": (
        "if so, use --groups {column}, because results are too optimistic if only some of these "
        "rows are held out."
    ),
    "time_order": (
        "held-out rows lie between training rows, so results are too optimistic, and columns of "
        "noise may be selected. {use}."
    ),
    "n_repeated": (
        "held-out rows may be copies of training rows, so results are too optimistic. Remove the "
        "copies."
    ),
    "n_near": (
        "held-out rows resemble training rows, so results are too optimistic. Use --groups with a "
        "column that identifies rows that belong together, or replace these rows by their mean."
    ),
    "same_target": _IF_TOGETHER,
    "alike": _IF_TOGETHER,
    "batch": (
        "columns that only distinguish its values may be selected, and predict held-out rows with "
        "the same values. {use}."
    ),
    "beginnings": "held-out rows resemble training rows, so results are too optimistic. {use}.",
}
"""What to do, by the attribute of what was found."""
_WITHOUT_NAME = {
    "time_order": (
        "Use --groups with a column of dates and times, or one such as the day or the batch"
    ),
    "beginnings": "Name the first column in the file, and use --groups with this name",
}


def warn_of_dependence(found: Dependence, messages: Messages) -> None:
    """Say what was found, and what to do about it."""
    for name, sign in found.signs.items():
        value = getattr(found, name)
        column = str(value[0] if isinstance(value, tuple) else value)
        use = f"Use --groups {quote(column)}" if column else _WITHOUT_NAME[name]
        messages.warn(f"{sign}: {_ADVICE[name].format(column=quote(column), use=use)}")
