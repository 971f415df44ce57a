"""Signs that the rows of a table depend on each other, such as those of a time series.

In reading order: ``dependence`` has the signs as sentences, and ``search`` looks for all of them.
``group_columns``, ``alike_rows``, ``design_effect``, ``shared_beginnings`` and ``batches`` find
columns that tell which rows belong together, ``time_order`` rows whose neighbors are alike, and
``repeated_rows`` and ``near_copies`` rows that are equal (by ``coincidence``, or not).
``between_groups`` has the statistic that most of them compare.
"""

from ipcae.tables.dependence.dependence import Dependence, dependence_of

__all__ = ["Dependence", "dependence_of"]
