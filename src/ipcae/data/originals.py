"""Parse the original files of the data sets."""

from __future__ import annotations

import csv
import gzip
import io
import string
from collections import Counter
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ipcae.arrays import Booleans
from ipcae.data.catalogue import named
from ipcae.data.dataset import Dataset
from ipcae.data.download import fetch
from ipcae.data.locations import find, not_found, read
from ipcae.data.table import Table
from ipcae.errors import InputError
from ipcae.optional import optional

Read = Callable[[str], bytes]
"""A function that returns the verified content of a file, given its path."""

CLOTHES = (
    *("T-shirt/top", "Trouser", "Pullover", "Dress", "Coat"),
    *("Sandal", "Shirt", "Sneaker", "Bag", "Ankle boot"),
)


def load(name: str | Dataset, *, download: bool = True) -> Table:
    """Load a data set as published: all rows, unscaled, with missing values as NaN.

    Parameters
    ----------
    name : str or Dataset
        Name of a data set, or an entry with custom mirrors.
    download : bool, default=True
        Whether to download missing files.

    Returns
    -------
    Table
        Values, classes and, if available, names, test rows and groups.

    Raises
    ------
    InputError
        If a file is missing, cannot be downloaded, or has another checksum.

    See Also
    --------
    data.fetch : Download the files only.
    data.paper_split : Split and scale it as the paper did.

    Examples
    --------
    >>> from ipcae.data import CATALOGUE
    >>> sorted(CATALOGUE)  # the names
    ['coil20', 'fashion_mnist', 'har', 'isolet', 'mice_protein', 'mnist', 'worm_neuron']
    >>> load("isolet").X.shape  # doctest: +SKIP
    (7797, 617)
    """
    dataset = named(name)
    missing = [file for file in dataset.files if find(dataset, file) is None]
    if missing and not download:
        raise InputError(not_found(dataset, missing))
    if missing:
        fetch(dataset)
    files = {file.path: file for file in dataset.files}
    return PARSERS[dataset.name](dataset, lambda path: read(dataset, files[path]))


def _mnist(dataset: Dataset, read: Read) -> Table:
    images = [_idx(read(f"{part}-images-idx3-ubyte.gz")) for part in ("train", "t10k")]
    labels = [_idx(read(f"{part}-labels-idx1-ubyte.gz")) for part in ("train", "t10k")]
    return Table(
        dataset,
        np.concatenate(images).reshape(-1, dataset.n_features).astype(np.float32),
        np.concatenate(labels).astype(np.int64),
        class_names=tuple(string.digits) if dataset.name == "mnist" else CLOTHES,
        is_test=_in_second(*labels),
    )


def _isolet(dataset: Dataset, read: Read) -> Table:
    parts = [_numbers(read(path), ",") for path in ("isolet1+2+3+4.data", "isolet5.data")]
    rows = np.concatenate(parts)
    return Table(
        dataset,
        np.ascontiguousarray(rows[:, :-1]),
        rows[:, -1].astype(np.int64) - 1,
        class_names=tuple(string.ascii_uppercase),
        is_test=_in_second(*parts),
    )


def _coil20(dataset: Dataset, read: Read) -> Table:
    arrays = optional("scipy.io", "reading .mat files").loadmat(io.BytesIO(read("COIL20.mat")))
    X = np.ascontiguousarray(arrays["X"], dtype=np.float32)
    return Table(dataset, X, arrays["Y"].ravel().astype(np.int64) - 1)


def _har(dataset: Dataset, read: Read) -> Table:
    def both(kind: str) -> list[NDArray[np.float32]]:
        paths = (f"{part}/{kind}_{part}.txt" for part in ("train", "test"))
        return [_numbers(read(f"UCI HAR Dataset/{path}")) for path in paths]

    def second_words(path: str) -> list[str]:
        return [line.split()[1] for line in read(f"UCI HAR Dataset/{path}").decode().splitlines()]

    X = both("X")
    return Table(
        dataset,
        np.concatenate(X),
        np.concatenate(both("y")).astype(np.int64) - 1,
        feature_names=_with_axes(second_words("features.txt")),
        class_names=tuple(second_words("activity_labels.txt")),
        is_test=_in_second(*X),
        groups=np.concatenate(both("subject")).astype(np.int64),
    )


def _mice_protein(dataset: Dataset, read: Read) -> Table:
    """Label = Control + 2·Memantine + 4·C/S; each of 72 mice was measured 15 times."""
    header, *rows = _cells(read("Data_Cortex_Nuclear.xls"))
    columns = dict(zip(header, zip(*rows, strict=True), strict=True))
    proteins = tuple(header[1 : 1 + dataset.n_features])
    X = [[float(cell) if cell != "" else np.nan for cell in columns[name]] for name in proteins]
    y = (
        1 * (np.array(columns["Genotype"]) == "Control")
        + 2 * (np.array(columns["Treatment"]) == "Memantine")
        + 4 * (np.array(columns["Behavior"]) == "C/S")
    )
    mice = [measurement.rpartition("_")[0] for measurement in columns["MouseID"]]
    return Table(
        dataset,
        np.ascontiguousarray(np.array(X, dtype=np.float32).T),
        y.astype(np.int64),
        feature_names=proteins,
        class_names=tuple(name for _, name in sorted(set(zip(y, columns["class"], strict=True)))),
        groups=np.unique(mice, return_inverse=True)[1].astype(np.int64),
    )


def _worm_neuron(dataset: Dataset, read: Read) -> Table:
    h5py = optional("h5py", "reading .h5 files", install="h5py")
    with h5py.File(io.BytesIO(read("worm_neuron_cell.h5")), "r") as file:
        return Table(dataset, file["X"].astype(np.float32)[:], file["Y"][:].astype(np.int64) - 1)


PARSERS: dict[str, Callable[[Dataset, Read], Table]] = {
    "mnist": _mnist,
    "fashion_mnist": _mnist,
    "isolet": _isolet,
    "coil20": _coil20,
    "har": _har,
    "mice_protein": _mice_protein,
    "worm_neuron": _worm_neuron,
}
"""The parser of each data set."""


def _in_second(first: NDArray[Any], second: NDArray[Any]) -> Booleans:
    return np.arange(len(first) + len(second)) >= len(first)


def _numbers(text: bytes, delimiter: str | None = None) -> NDArray[np.float32]:
    return np.loadtxt(io.BytesIO(text), dtype=np.float32, delimiter=delimiter)


def _idx(compressed: bytes) -> NDArray[np.uint8]:
    """Read a gzipped idx file of bytes: 0, 0, type 8, number of axes, each length, values.

    >>> _idx(gzip.compress(bytes([0, 0, 8, 2, 0, 0, 0, 1, 0, 0, 0, 3, 7, 8, 9])))
    array([[7, 8, 9]], dtype=uint8)
    """
    content = gzip.decompress(compressed)
    n_axes = content[3]
    shape = np.frombuffer(content, ">u4", count=n_axes, offset=4)
    return np.frombuffer(content, np.uint8, offset=4 + 4 * n_axes).reshape(shape)


def _cells(content: bytes) -> list[list[Any]]:
    """Read all cells of an .xls file, recognized by its signature, or of a .csv file."""
    if not content.startswith(b"\xd0\xcf\x11\xe0"):
        return list(csv.reader(io.StringIO(content.decode())))
    xlrd = optional("xlrd", "reading .xls files")
    sheet = xlrd.open_workbook(file_contents=content).sheet_by_index(0)
    return [sheet.row_values(row) for row in range(sheet.nrows)]


def _with_axes(names: list[str]) -> tuple[str, ...]:
    """Append the axis X, Y or Z to names that occur three times.

    >>> _with_axes(["mean()-X", "bandsEnergy()-1,8", "bandsEnergy()-1,8", "bandsEnergy()-1,8"])
    ('mean()-X', 'bandsEnergy()-1,8-X', 'bandsEnergy()-1,8-Y', 'bandsEnergy()-1,8-Z')
    """
    times, seen = Counter(names), Counter[str]()
    distinct = []
    for name in names:
        distinct.append(f"{name}-{'XYZ'[seen[name]]}" if times[name] > 1 else name)
        seen[name] += 1
    return tuple(distinct)
