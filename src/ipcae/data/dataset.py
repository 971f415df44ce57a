"""What is known of a data set before any of it is here."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal
from urllib.parse import unquote, urlsplit


@dataclass(frozen=True)
class Mirror:
    """A URL that serves a file, or an archive with the file in it.

    Parameters
    ----------
    url : str
        Where to download from.
    members : tuple of str
        The way through nested archives to the file, outermost first; empty where the URL serves
        the file itself. A last name that ends in ``.Z`` is decompressed.

    Examples
    --------
    >>> Mirror("https://example.org/data/two%20words.zip", ("inner.zip", "x.txt")).filename
    'two words.zip'
    """

    url: str
    members: tuple[str, ...] = ()

    @property
    def filename(self) -> str:
        """The name under which a browser would save the URL."""
        return unquote(urlsplit(self.url).path).rsplit("/", 1)[-1]


@dataclass(frozen=True)
class File:
    """One file of a data set, known by its content.

    Parameters
    ----------
    path : str
        Where it lies in the data set's folder, with forward slashes.
    sha256 : str
        Checksum of the content, out of any archive.
    size : int
        Bytes of the content.
    mirrors : tuple of Mirror
        Where to download it, in the order to try.
    twin : File, optional
        The same table in another format, accepted where this file is missing.
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
        The name to load it by, and of its folder.
    title : str
        One line on what it holds.
    source : str
        Who published it, where.
    terms : str
        What its publishers ask of users.
    url : str
        Its page.
    files : tuple of File
        What has to be there to load it.
    n_features, n_classes : int
        D, and the number of classes.
    n_selected : int
        K, how many features the paper selects.
    batch_size : int
        Rows in a batch in the paper.
    grid : tuple of int, optional
        Rows and columns of the image, where features are pixels.
    grid_order : {"C", "F"}
        Whether the features run along the image's rows or down its columns.
    in_paper : bool
        Whether the paper measured on it, so that it has a `paper_split`.

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
        """Bytes of all files, out of their archives."""
        return sum(file.size for file in self.files)
