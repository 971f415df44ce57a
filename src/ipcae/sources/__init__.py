"""Tables that are read in parts: arrays in files, sparse matrices, HDF5, zarr and Parquet.

In reading order: ``base`` has the interface of a source, ``opening`` opens a file or an array as
one. ``array``, ``csr``, ``parquet`` and ``stored`` are sources; those of chunks are in files of
``hdf5`` and ``zarr``, perhaps with the layout of ``anndata``. ``views`` are some rows or columns of
a source.

``streamed`` has the rows of a training, in an ``order`` that reads few chunks at a time; ``ahead``
and ``gpu_reader`` read the next ones meanwhile. ``summary`` describes all columns in one pass.
"""

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
