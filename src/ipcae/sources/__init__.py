"""Tables that are read in parts: arrays in files, sparse matrices, HDF5, zarr and Parquet."""

from ipcae.sources.array import ArraySource, FileSource, MemmapSource
from ipcae.sources.base import Source
from ipcae.sources.csr import CsrSource
from ipcae.sources.opening import as_source, may_be_read_in_parts, open_source
from ipcae.sources.order import windowed_order
from ipcae.sources.parquet import ParquetSource
from ipcae.sources.stored import ChunkedCsrSource, ChunkedSource
from ipcae.sources.streamed import StreamedRows
from ipcae.sources.summary import Summary

__all__ = [
    "ArraySource",
    "ChunkedCsrSource",
    "ChunkedSource",
    "CsrSource",
    "FileSource",
    "MemmapSource",
    "ParquetSource",
    "Source",
    "StreamedRows",
    "Summary",
    "as_source",
    "may_be_read_in_parts",
    "open_source",
    "windowed_order",
]
