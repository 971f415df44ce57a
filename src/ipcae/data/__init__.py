"""Load the data sets of the paper, and read tables from files.

A data set is looked up in ``$IPCAE_DATA/<name>`` and in the cache, and otherwise downloaded to the
cache. The checksum of every file is verified before use.

In reading order: ``catalogue`` lists the data sets, each a ``dataset`` of files, which
``locations`` finds and ``download`` fetches. ``originals`` parses them, out of ``archives``, to a
``table``, and ``split`` divides it as in the paper.

``tabular`` reads a user's table by its file type: ``text_table``, ``spreadsheet`` or ``npz_table``.
In a text file, ``text_format`` finds the separator, ``header_line`` names, ``lines_below_names``
units or the like below them, ``decimal_commas`` numbers, and ``missing_values`` what stands for
missing ones.
"""

from ipcae.data.catalogue import CATALOGUE
from ipcae.data.dataset import Dataset
from ipcae.data.download import fetch
from ipcae.data.originals import load
from ipcae.data.split import Split, paper_split
from ipcae.data.table import Table
from ipcae.data.tabular import read_table

__all__ = ["CATALOGUE", "Dataset", "Split", "Table", "fetch", "load", "paper_split", "read_table"]
