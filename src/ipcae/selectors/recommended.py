"""The default method: a rule on the task and the shape of the table.

The rule was chosen on development rows; ``docs/decisions/0001`` gives the measurements.
"""

from __future__ import annotations

from dataclasses import dataclass

from ipcae.tasks import Task
from ipcae.text import count

FEW_ROWS = 300
"""From about this number of rows on, networks select better than rankings."""


@dataclass(frozen=True)
class Recommendation:
    """A method by its name in ``METHODS``, and why it is recommended."""

    method: str
    reason: str


def recommended(task: type[Task], n_rows: int, n_features: int, n_selected: int) -> Recommendation:
    """Return the method for a table of this shape.

    >>> from ipcae.tasks import Classification
    >>> recommended(Classification, n_rows=84, n_features=2000, n_selected=20)
    Recommendation(method='consensus', reason='the table has 84 rows; ip-cae from about 300 rows')
    >>> recommended(Classification, n_rows=5000, n_features=784, n_selected=50)
    Recommendation(method='ip-cae', reason='the table has 5,000 rows')
    """
    rows = f"the table has {count(n_rows, 'row')}"
    if n_rows >= FEW_ROWS or task.censored:
        return Recommendation("ip-cae", rows)
    ranking = "consensus" if task.supervised else "column-subset"
    return Recommendation(ranking, f"{rows}; ip-cae from about {FEW_ROWS} rows")
