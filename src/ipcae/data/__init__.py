"""Data: the paper's data sets, found or downloaded, checked and split; and your own tables.

A data set is looked for in ``$IPCAE_DATA/<name>``, then in the cache, then downloaded into the
cache. Whatever it comes from, its content is compared with a published checksum before use.
"""

from ipcae.data.catalogue import CATALOGUE
from ipcae.data.dataset import Dataset
from ipcae.data.download import fetch
from ipcae.data.originals import load
from ipcae.data.split import Split, paper_split
from ipcae.data.table import Table
from ipcae.data.tabular import read_table

__all__ = ["CATALOGUE", "Dataset", "Split", "Table", "fetch", "load", "paper_split", "read_table"]
