"""Signs that the rows of a table depend on each other, such as those of a time series."""

from ipcae.tables.dependence.dependence import Dependence, dependence_of, find_dependence

__all__ = ["Dependence", "dependence_of", "find_dependence"]
