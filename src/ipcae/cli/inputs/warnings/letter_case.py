"""Levels that differ only in upper and lower case."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable

from ipcae.cli.messages import Messages
from ipcae.text import listed


def warn_of_letter_case(what: str, labels: Iterable[str], messages: Messages) -> None:
    """Warn if labels differ only in upper and lower case.

    >>> messages = Messages(quiet=True)
    >>> warn_of_letter_case('levels of "smoker"', ["no", "yes", "No"], messages)
    >>> messages.warnings[0].split(". ")[0]
    'levels of "smoker" differ only in upper and lower case: "No" and "no"'
    """
    same = defaultdict(list)
    for label in labels:
        same[label.casefold()].append(f'"{label}"')
    similar = [" and ".join(sorted(each)) for each in same.values() if len(each) > 1]
    if similar:
        messages.warn(
            f"{what} differ only in upper and lower case: {listed(similar)}. If they mean the "
            "same, write them alike in the file."
        )
