"""Description of a data set and its files."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal
from urllib.parse import unquote, urlsplit


@dataclass(frozen=True)
class Mirror:
    """A URL of a file, or of an archive that contains it.

    Parameters
    ----------
    url : str
        URL to download.
    members : tuple of str
        Names of the members to open in nested archives, outermost first; empty if the URL is that
        of the file itself. A last member whose name ends in ``.Z`` is decompressed.

    Examples
    --------
    >>> Mirror("https://example.org/data/two%20words.zip", ("inner.zip", "x.txt")).filename
    'two words.zip'
    """

    url: str
    members: tuple[str, ...] = ()

    @property
    def filename(self) -> str:
        """The file name in the URL."""
        return unquote(urlsplit(self.url).path).rsplit("/", 1)[-1]


@dataclass(frozen=True)
class File:
    """A file of a data set.

    Parameters
    ----------
    path : str
        Path in the folder of the data set, with forward slashes.
    sha256 : str
        Checksum of the unpacked content.
    size : int
        Size of the unpacked content in bytes.
    mirrors : tuple of Mirror
        Download locations, in the order of preference.
    twin : File, optional
        The same table in another format, used if this file is missing.
    """

    path: str
    sha256: str
    size: int
    mirrors: tuple[Mirror, ...] = ()
    twin: File | None = None


@dataclass(frozen=True)
class Dataset:
    """An entry of the catalogue.

    Parameters
    ----------
    name : str
        Name of the data set and of its folder.
    title : str
        One-line description.
    source : str
        Authors and publisher.
    terms : str
        Terms of use.
    url : str
        Home page.
    files : tuple of File
        Files that are needed to load it.
    n_features, n_classes : int
        Number of features and of classes.
    n_selected : int, default=50
        Number of features that the paper selects, K.
    batch_size : int, default=128
        Batch size in the paper.
    grid : tuple of int, optional
        Rows and columns of the image, if the features are pixels.
    grid_order : {"C", "F"}, default="C"
        Order of the pixels: row by row or column by column.
    in_paper : bool, default=True
        Whether it is a data set of the paper, with a `paper_split`.

    See Also
    --------
    data.fetch : Download the files of an entry.
    data.load : Load all rows.

    Examples
    --------
    >>> from ipcae.data import CATALOGUE
    >>> isolet = CATALOGUE["isolet"]
    >>> isolet.n_features, isolet.n_classes, isolet.n_selected
    (617, 26, 50)
    >>> [file.path for file in isolet.files]
    ['isolet1+2+3+4.data', 'isolet5.data']
    """

    name: str
    title: str
    source: str
    terms: str
    url: str
    files: tuple[File, ...]
    n_features: int
    n_classes: int
    n_selected: int = 50
    batch_size: int = 128
    grid: tuple[int, int] | None = None
    grid_order: Literal["C", "F"] = "C"
    in_paper: bool = True

    @property
    def size(self) -> int:
        """Total size of the unpacked files in bytes."""
        return sum(file.size for file in self.files)
