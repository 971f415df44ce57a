"""Find the files of a data set on this computer."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from ipcae.data.archives import unpack
from ipcae.data.dataset import Dataset, File
from ipcae.errors import InputError
from ipcae.optional import optional


@dataclass(frozen=True)
class Location:
    """A file of a data set on disk: ``path`` itself, or a member of the archive at ``path``."""

    file: File
    path: Path
    members: tuple[str, ...] = ()


def cache_folder() -> Path:
    """Return ``$IPCAE_CACHE``, or by default the user's cache folder (~/.cache/ipcae on Linux)."""
    if chosen := os.environ.get("IPCAE_CACHE"):
        return Path(chosen).expanduser()
    return Path(optional("pooch", "finding the cache folder").os_cache("ipcae"))


def search_folders(dataset: Dataset) -> Iterator[Path]:
    """Yield the folders that may hold a data set, in the order of the search.

    The cache folder is determined last, so that reading from ``$IPCAE_DATA`` does not need pooch.
    """
    if own := os.environ.get("IPCAE_DATA"):
        yield Path(own).expanduser() / dataset.name
    yield cache_folder() / dataset.name


def find(dataset: Dataset, file: File) -> Location | None:
    """Find a file, either unpacked or in an archive as one of its mirrors serves it."""
    for folder in search_folders(dataset):
        for location in _possible_locations(folder, file):
            if location.path.is_file():
                return location
    return None


def _possible_locations(folder: Path, file: File) -> Iterator[Location]:
    yield Location(file, folder / file.path)
    for mirror in file.mirrors:
        yield Location(file, folder / mirror.filename, mirror.members)
    if file.twin:
        yield from _possible_locations(folder, file.twin)


def read(dataset: Dataset, file: File) -> bytes:
    """Read a file and verify its checksum."""
    location = find(dataset, file)
    if location is None:
        raise InputError(not_found(dataset, [file]))
    found, path = location.file, location.path
    content = unpack(str(path), path.read_bytes(), location.members)
    if not is_published(found, content):
        raise InputError(
            f"{path} does not hold the published {found.path}, whose sha256 is {found.sha256}: "
            f"delete it and run `ipcae data get {dataset.name}`."
        )
    return content


def is_published(file: File, content: bytes) -> bool:
    """Return whether the content has the file's checksum.

    Examples
    --------
    >>> empty = File("empty.txt", hashlib.sha256(b"").hexdigest(), 0)
    >>> is_published(empty, b""), is_published(empty, b"tampered")
    (True, False)
    """
    return hashlib.sha256(content).hexdigest() == file.sha256


def not_found(dataset: Dataset, missing: Sequence[File]) -> str:
    """Return the error message for missing files: which, where searched, and how to get them."""
    names = ", ".join(file.path for file in missing)
    folders = " or ".join(str(folder) for folder in search_folders(dataset))
    return (
        f"{dataset.name} needs {names}, not found intact in {folders}: "
        f"run `ipcae data get {dataset.name}`, or set IPCAE_DATA to a folder "
        f"whose sub-folder {dataset.name} holds the original files."
    )
