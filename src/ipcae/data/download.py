"""Download a data set to the cache from one of its mirrors."""

from __future__ import annotations

import logging
import tempfile
from itertools import zip_longest
from pathlib import Path

from ipcae.data.archives import unpack
from ipcae.data.catalogue import named
from ipcae.data.dataset import Dataset, File, Mirror
from ipcae.data.locations import cache_folder, find, is_published, read
from ipcae.errors import InputError
from ipcae.filesystem.atomic import write_whole
from ipcae.optional import optional

logger = logging.getLogger(__name__)

TIMEOUT = 30
"""Timeout of a mirror in seconds."""


def fetch(name: str | Dataset) -> dict[str, Path]:
    """Download the missing files of a data set and verify the checksums of all.

    Files in ``$IPCAE_DATA/<name>`` are verified but never changed. Missing or damaged files are
    downloaded to the cache, where they are written atomically.

    Parameters
    ----------
    name : str or Dataset
        Name of a data set, or an entry with custom mirrors.

    Returns
    -------
    dict of str to Path
        The path of each file, or of the archive that contains it.

    Raises
    ------
    InputError
        If a file cannot be downloaded, or a file in ``$IPCAE_DATA`` has another checksum.

    See Also
    --------
    data.load : Read the files.
    data.Dataset : An entry of the catalogue, with its terms of use.

    Examples
    --------
    >>> from ipcae.data import CATALOGUE
    >>> CATALOGUE["isolet"].terms
    'CC BY 4.0'
    >>> sorted(fetch("isolet"))  # doctest: +SKIP
    ['isolet1+2+3+4.data', 'isolet5.data']
    """
    dataset = named(name)
    cache = cache_folder() / dataset.name
    missing = [file for file in dataset.files if not _is_intact(dataset, file, cache)]
    if missing:
        _download(dataset, missing, cache)
    locations = (find(dataset, file) for file in dataset.files)
    return {location.file.path: location.path for location in locations if location}


def _is_intact(dataset: Dataset, file: File, cache: Path) -> bool:
    location = find(dataset, file)
    if location is None:
        return False
    try:
        read(dataset, file)
    except InputError:
        if location.path.is_relative_to(cache):
            return False
        raise
    return True


def _download(dataset: Dataset, missing: list[File], cache: Path) -> None:
    """Download each URL at most once, the first mirror of every file before any second mirror."""
    get = optional("pooch", "downloading").HTTPDownloader(timeout=TIMEOUT, chunk_size=2**16)
    failures = []
    with _scratch_folder(cache) as folder:
        scratch = Path(folder, "download")
        for url in _urls_by_rank(missing):
            wanted = [(file, m) for file in missing for m in file.mirrors if m.url == url]
            if not wanted:
                continue
            logger.info("downloading %s", url)
            try:
                get(url, str(scratch), None)
            except OSError as error:
                failures.append(f"{url}: {_reason(error)}")
                continue
            for file, mirror in wanted:
                try:
                    content = _published(file, mirror, scratch.read_bytes())
                except InputError as error:
                    failures.append(f"{url}: {error}")
                else:
                    path = cache / file.path
                    path.parent.mkdir(parents=True, exist_ok=True)
                    write_whole(path, content)
                    missing = [other for other in missing if other is not file]
    if missing:
        names = ", ".join(file.path for file in missing)
        raise InputError(
            f"no mirror of {dataset.name} served {names} ({'; '.join(failures)}): try "
            f"`ipcae data get {dataset.name}` again later, or put the original files into "
            f"{cache} by hand."
        )


def _reason(error: OSError) -> str:
    """Return a short description of an error of requests."""
    response = getattr(error, "response", None)
    if response is not None:
        return f"answered {response.status_code}"
    return error.strerror or type(error).__name__


def _published(file: File, mirror: Mirror, download: bytes) -> bytes:
    content = unpack(mirror.filename, download, mirror.members)
    if not is_published(file, content):
        raise InputError(f"{file.path} does not have the published checksum")
    return content


def _urls_by_rank(files: list[File]) -> list[str]:
    ranks = zip_longest(*(file.mirrors for file in files))
    return list(dict.fromkeys(mirror.url for rank in ranks for mirror in rank if mirror))


def _scratch_folder(cache: Path) -> tempfile.TemporaryDirectory[str]:
    """Return a temporary folder in the cache."""
    try:
        cache.mkdir(parents=True, exist_ok=True)
        return tempfile.TemporaryDirectory(prefix=".download-", dir=cache)
    except OSError as error:
        raise InputError(
            f"cannot write to {cache} ({error.strerror}): set IPCAE_CACHE to a folder that you own."
        ) from error
