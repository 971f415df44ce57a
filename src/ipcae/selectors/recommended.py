"""The default method: a rule on the task and the shape of the table.

The rule was chosen on development rows; ``docs/decisions/0001`` gives the measurements.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import pairwise

from ipcae.tasks import Panel, Task
from ipcae.text import count

FEW_FOR_CLASSES = 300
"""From about this number of rows on, a network selects better among the best of a ranking."""

MANY_FOR_CLASSES = 5000
FEW_FOR_NUMBERS = 5000
"""Up to 3,200 rows, a network that reads all features was never better."""

MANY_FOR_NUMBERS = 100_000
"""With 10,000 rows, a network selects better among the best of a ranking; more were not tried."""

FEW_FOR_TIMES = 1000
"""Up to 500 rows, a network that reads all features was not better; more were not tried."""

FEW_FOR_RECONSTRUCTION = 1500
"""From about this number of rows on, a network reconstructs as well as a linear method."""


@dataclass(frozen=True)
class Recommendation:
    """A method by its name in ``METHODS``, and why it is recommended."""

    method: str
    reason: str


def recommended(
    task: type[Task], n_rows: int, n_features: int, n_selected: int, *, streamed: bool = False
) -> Recommendation:
    """Return the method for a table of this shape, which may be read in parts (``streamed``).

    >>> from ipcae.tasks import Classification
    >>> advice = recommended(Classification, n_rows=84, n_features=2000, n_selected=20)
    >>> f"{advice.method}, because {advice.reason}"
    'adaptive, because the table has 84 rows; shortlist from about 300 rows'
    >>> recommended(Classification, n_rows=60_000, n_features=784, n_selected=50).method
    'ip-cae'

    See Also
    --------
    ipcae.selectors.Adaptive : Elimination or group lasso, by the columns.
    ipcae.selectors.Shortlist : A joint method among the best of a ranking.
    """
    if streamed:
        return Recommendation("ip-cae", "the table is read in parts")
    steps = _steps(task)
    rows = f"the table has {count(n_rows, 'row')}"
    for (limit, method), (_, following) in pairwise(steps):
        if n_rows < limit:
            return Recommendation(method, f"{rows}; {following} from about {limit:,} rows")
    return Recommendation(steps[-1][1], rows)


def _steps(task: type[Task]) -> list[tuple[float, str]]:
    """Return pairs of a number of rows and the method for fewer rows than that."""
    if task.censored:
        return [(FEW_FOR_TIMES, "cox-elimination"), (math.inf, "ip-cae")]
    if issubclass(task, Panel):
        return [(MANY_FOR_CLASSES, "panel-forward"), (math.inf, "ip-cae")]
    if not task.supervised:
        return [(FEW_FOR_RECONSTRUCTION, "column-subset"), (math.inf, "ip-cae")]
    if task.discrete:
        return [
            (FEW_FOR_CLASSES, "adaptive"),
            (MANY_FOR_CLASSES, "shortlist"),
            (math.inf, "ip-cae"),
        ]
    return [
        (FEW_FOR_NUMBERS, "adaptive"),
        (MANY_FOR_NUMBERS, "shortlist"),
        (math.inf, "ip-cae"),
    ]
