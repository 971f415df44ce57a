"""Common questionnaire answers, in order."""

from __future__ import annotations

import re
from collections.abc import Iterable

# Synonyms are separated by "/".
_SCALES = (
    "strongly disagree, disagree, somewhat disagree/slightly disagree/rather disagree, "
    "neutral/undecided/neither agree nor disagree, "
    "somewhat agree/slightly agree/rather agree, agree, strongly agree",
    "very dissatisfied, dissatisfied, somewhat dissatisfied, "
    "neutral/neither satisfied nor dissatisfied, somewhat satisfied, satisfied, very satisfied",
    "very inaccurate, moderately inaccurate, slightly inaccurate/somewhat inaccurate, "
    "neither accurate nor inaccurate/neither inaccurate nor accurate, "
    "slightly accurate/somewhat accurate, moderately accurate, very accurate",
    "very untrue, untrue, somewhat untrue, neutral, somewhat true, true, very true",
    "very unlikely, unlikely, somewhat unlikely, neutral, somewhat likely, likely, very likely",
    "very unimportant, unimportant, neutral, important, very important",
    "not important/not at all important, slightly important, moderately important, important, "
    "very important, extremely important",
    "never, almost never, rarely/seldom, sometimes/occasionally, often/frequently, usually, "
    "almost always, always",
    "terrible, very bad/very poor, bad/poor, fair/average/ok/okay/acceptable/satisfactory, good, "
    "very good, excellent",
    "not at all, slightly/a little/a little bit, moderately/somewhat, very/quite a bit, extremely",
    "none, minimal, mild, moderate, severe, very severe",
    "very low, low, medium/moderate/average/normal, high, very high",
    "very small, small, medium, large, very large",
)
_RANKS = [
    {level: rank for rank, same in enumerate(scale.split(", ")) for level in same.split("/")}
    for scale in _SCALES
]
_FEWEST = 3  # two levels have no order that matters
_NUMBERED = re.compile(r"(?P<number>\d{1,2})(?P<label>\s*[-–—:=.)(/]\s*[^\W\d].*|\s+[^\W\d].*)?")


def in_order(levels: Iterable[str]) -> tuple[str, ...] | None:
    """Return the levels in their order if all belong to one scale, else None.

    >>> in_order(["Agree", "Disagree", "Neutral"])
    ('Disagree', 'Neutral', 'Agree')
    >>> in_order(["4", "5 - very much", "2", "1 - not at all", "3"])
    ('1 - not at all', '2', '3', '4', '5 - very much')
    >>> in_order(["excellent", "good", "ok", "poor"])
    ('poor', 'ok', 'good', 'excellent')
    >>> in_order(["red", "green", "blue"])
    """
    levels = list(levels)
    if len(levels) >= _FEWEST and (numbers := _numbers_with_labels(levels)) is not None:
        return tuple(sorted(levels, key=lambda level: numbers[level]))
    given = {level: " ".join(level.casefold().split()) for level in levels}
    for ranks in _RANKS:
        if len(given) >= _FEWEST and all(name in ranks for name in given.values()):
            return tuple(sorted(given, key=lambda level: (ranks[given[level]], level)))
    return None


def _numbers_with_labels(levels: Iterable[str]) -> dict[str, int] | None:
    """Return the numbers of a scale of which only some have labels, such as its ends.

    If all have labels, they may be the codes of unordered categories, such as "1 - north".
    """
    found = {level: _NUMBERED.fullmatch(level) for level in levels}
    labels = [match and match["label"] for match in found.values()]
    if None in found.values() or all(labels) or not any(labels):
        return None
    numbers = {level: int(match["number"]) for level, match in found.items() if match}
    return numbers if len(set(numbers.values())) == len(numbers) else None
