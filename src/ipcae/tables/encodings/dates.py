"""Dates as numbers: days since 1970."""

from __future__ import annotations

import datetime
import re
from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ipcae.arrays import Floats

MICROSECONDS_PER_DAY = 86_400e6

# 2024-01-31, 31.1.2024, 1/31/24, each perhaps with a time of day.
_DATE = re.compile(r"(\d{4}[-/.]\d{1,2}[-/.]\d{1,2}|\d{1,2}[-/.]\d{1,2}[-/.]\d{2,4})([ T]\d.*)?")

_TIME = r"(?:[ T:,]+(?P<t>\d.*))?"
_HALF = re.compile(r"(\d{1,2})(:.*\d) ?([ap])\.?m\.?", re.IGNORECASE)
# Slashes are not read between day and month: 3/4/2024 is in March or in April.
_YEAR_FIRST = re.compile(rf"(?P<y>\d{{4}})([-/.])(?P<m>\d{{1,2}})\2(?P<d>\d{{1,2}}){_TIME}")
_SLASHED = re.compile(r"(\d{1,2})/(\d{1,2})/(\d{4}.*)")
_DAY_FIRST = re.compile(rf"(?P<d>\d{{1,2}})\.(?P<m>\d{{1,2}})\.(?P<y>\d{{4}}){_TIME}")

# Names of months: 31JAN2024, 31-Jan-24, 31 January 2024, Jan 31, 2024. Months are their first day:
# Jan-2024, 2024-01 and 01/2024.
_MONTHS = (
    *("january", "february", "march", "april", "may", "june", "july", "august", "september"),
    *("october", "november", "december"),
)
_NAME = "(?P<name>" + "|".join(f"{name[:3]}(?:{name[3:]})?" for name in _MONTHS) + r")\.?"
_NAMED = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        rf"(?:(?P<d>\d{{1,2}})[-. ]?)?{_NAME}[-, ]*(?P<y>(?:19|20)\d\d){_TIME}",
        rf"(?P<d>\d{{1,2}})[-. ]?{_NAME}[-. ]?(?P<y>\d\d){_TIME}",
        rf"{_NAME} +(?P<d>\d{{1,2}})[, ]+(?P<y>\d{{4}}){_TIME}",
        r"(?P<y>(?:19|20)\d\d)-(?P<m>0[1-9]|1[0-2])",
        r"(?P<m>0?[1-9]|1[0-2])/(?P<y>(?:19|20)\d\d)",
    )
)


def are_dates(texts: Iterable[str]) -> bool:
    """Return whether all texts are dates, perhaps of which day and month are unclear.

    >>> are_dates(["2024-01-31", "1/31/24 6:00", "Jan-2024"]), are_dates(["31 Jan", "Sep-2"])
    (True, False)
    """
    return all(
        _DATE.fullmatch(text) or any(pattern.fullmatch(text) for pattern in _NAMED)
        for text in texts
    )


def days_of_texts(texts: NDArray[Any]) -> Floats | None:
    """Return dates such as 2024-01-31 or 31 Jan 2024 as days since 1970, or None for other text.

    They may have a time of day and a time zone. Months are their first day.

    >>> texts = ["1970-01-02", None, "1970-01-01T12:00", "1970-01-01 14:00+02:00", "3.1.1970 6:00"]
    >>> days_of_texts(np.array(texts, dtype=object))
    array([1.  ,  nan, 0.5 , 0.5 , 2.25])
    >>> texts = ["02JAN1970", "2-Jan-70", "Jan 2, 1970 6:00 PM", "Feb-1970"]
    >>> days_of_texts(np.array(texts, dtype=object))
    array([ 1.  ,  1.  ,  1.75, 31.  ])
    >>> days_of_texts(np.array(["3/4/2024"], dtype=object))
    """
    try:
        values = np.array([text and _moment(text) for text in texts], "datetime64[us]")
    except ValueError:
        return None
    return days(values)


def days_of_slashed_texts(texts: NDArray[Any]) -> list[Floats]:
    """Return dates such as 1/31/2024 as days since 1970, once for every possible order.

    >>> both = np.array(["1/3/1970", "2/4/1970"], dtype=object)
    >>> [days.tolist() for days in days_of_slashed_texts(both)]
    [[59.0, 91.0], [2.0, 34.0]]
    >>> [days.tolist() for days in days_of_slashed_texts(np.array(["1/31/1970"], dtype=object))]
    [[30.0]]
    """
    found = []
    for pattern in (r"\1.\2.\3", r"\2.\1.\3"):
        dotted = [text and _SLASHED.sub(pattern, text) for text in texts]
        read = days_of_texts(np.array(dotted, dtype=object))
        found += [] if read is None else [read]
    return found


def _moment(text: str) -> datetime.datetime:
    patterns = (_YEAR_FIRST, _DAY_FIRST, *_NAMED)
    found = next(filter(None, (pattern.fullmatch(text) for pattern in patterns)), None)
    if found is None:
        raise ValueError(text)
    parts = found.groupdict()
    time, day, month = (parts.get(part) for part in ("t", "d", "m"))
    if month is None:
        name = parts["name"].lower()
        month = str(1 + next(i for i, other in enumerate(_MONTHS) if other.startswith(name)))
    year = parts["y"] if len(parts["y"]) == 4 else _year(int(parts["y"]))
    time = _HALF.sub(_in_24_hours, time or "00:00").replace(" ", "").replace("UTC", "Z")
    hour_first = time if time[1:2] != ":" else f"0{time}"
    moment = datetime.datetime.fromisoformat(f"{year}-{month:0>2}-{day or '1':0>2}T{hour_first}")
    if moment.tzinfo is not None:
        moment = moment.astimezone(datetime.UTC).replace(tzinfo=None)
    return moment


def _year(two_digits: int) -> int:
    """Return the year from 1969 to 2068, as in the C library."""
    return two_digits + (1900 if two_digits >= 69 else 2000)


def _in_24_hours(time: re.Match[str]) -> str:
    return f"{int(time[1]) % 12 + 12 * (time[3] in 'pP')}{time[2]}"


def days_of_objects(values: list[datetime.date | None]) -> Floats:
    """Return Python dates as days since 1970, without their time zone."""
    naive = [v.replace(tzinfo=None) if isinstance(v, datetime.datetime) else v for v in values]
    return days(np.array(naive, dtype="datetime64[us]"))


def days(values: NDArray[Any]) -> Floats:
    """Return dates as days since 1970, or durations as days."""
    counted = values.astype(np.int64) / MICROSECONDS_PER_DAY
    return np.where(np.isnat(values), np.nan, counted)
