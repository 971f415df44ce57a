"""Tables that are read in parts: arrays in files, sparse matrices, HDF5, zarr and Parquet."""

from ipcae.sources.array import ArraySource, MemmapSource
from ipcae.sources.base import Source
from ipcae.sources.csr import CsrSource
from ipcae.sources.opening import as_source, may_be_read_in_parts
from ipcae.sources.order import windowed_order
from ipcae.sources.streamed import StreamedRows
from ipcae.sources.subset import Subset
from ipcae.sources.summary import Summary

__all__ = [
    "ArraySource",
    "CsrSource",
    "MemmapSource",
    "Source",
    "StreamedRows",
    "Subset",
    "Summary",
    "as_source",
    "may_be_read_in_parts",
    "windowed_order",
]
