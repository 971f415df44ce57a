"""Gene panels for single cells, in the manner of scverse: select from an AnnData, write into it."""

from ipcae.sc.expression import expression_costs, looks_like_counts
from ipcae.sc.select import select

__all__ = ["expression_costs", "looks_like_counts", "select"]
