"""Times of day and durations as numbers of days."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ipcae.arrays import Floats

UNIT = "days"

# 7:05, 07:05:12.5, 7:05 pm, 36:15:00, 2 days 07:05:12, and Python's -1 day, 7:05:12. Of 1:11.6,
# a lap, the fraction says that the numbers are minutes and seconds.
_TIME = re.compile(
    r"(?:(?P<days>[+-]?\d+) days?,? )?(?P<sign>[+-]?)(?P<h>\d{1,4}):(?P<m>[0-5]\d)"
    r"(?:(?P<fraction>[.,]\d+)|:(?P<s>[0-5]\d(?:[.,]\d+)?))?(?: ?(?P<half>[ap])\.?m\.?)?",
    re.IGNORECASE,
)


def are_times(texts: Iterable[str]) -> bool:
    """Return whether all texts are times of day or durations.

    >>> are_times(["7:05", "16:20"]), are_times(["1:80", "6:00"])
    (True, False)
    """
    return all(map(_TIME.fullmatch, texts))


def days_of_times(texts: NDArray[Any]) -> Floats | None:
    """Return times of day and durations as days, or None if there is other text.

    >>> days_of_times(np.array(["06:00", None, "6:00 pm", "36:00:00", "-1 day, 12:00:00"], object))
    array([ 0.25,   nan,  0.75,  1.5 , -0.5 ])
    >>> days_of_times(np.array(["1:30.0", "2:00,5"], object)) * 24 * 60 * 60
    array([ 90. , 120.5])
    """
    days = np.full(len(texts), np.nan)
    for row, text in enumerate(texts):
        if text is None:
            continue
        match = _TIME.fullmatch(text)
        if match is None:
            return None
        days[row] = _days(match)
    return days


def _days(match: re.Match[str]) -> float:
    hours = int(match["h"])
    if match["half"]:
        hours = hours % 12 + 12 * (match["half"] in "pP")
    seconds = 60 * (60 * hours + int(match["m"])) + _number(match["s"] or "0")
    if match["fraction"]:
        seconds = 60 * hours + _number(match["m"] + match["fraction"])
    return int(match["days"] or 0) + (-1 if match["sign"] == "-" else 1) * seconds / 86_400


def _number(text: str) -> float:
    return float(text.replace(",", "."))
