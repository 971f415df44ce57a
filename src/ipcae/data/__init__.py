"""Load the data sets of the paper, and read tables from files.

A data set is looked up in ``$IPCAE_DATA/<name>`` and in the cache, and otherwise downloaded to the
cache. The checksum of every file is verified before use.
"""

from ipcae.data.catalogue import CATALOGUE
from ipcae.data.dataset import Dataset
from ipcae.data.download import fetch
from ipcae.data.originals import load
from ipcae.data.split import Split, paper_split
from ipcae.data.table import Table
from ipcae.data.tabular import read_table

__all__ = ["CATALOGUE", "Dataset", "Split", "Table", "fetch", "load", "paper_split", "read_table"]
