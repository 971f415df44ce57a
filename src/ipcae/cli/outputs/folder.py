"""The output folder: checked before training; files are written atomically."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterable
from pathlib import Path

from ipcae.errors import InputError
from ipcae.filesystem.atomic import write_whole
from ipcae.text import listed

MODEL, SETTINGS = "model.safetensors", "settings.json"


def new_folder(table: Path) -> Path:
    """Return the name of a folder that does not exist yet, for the results of a table.

    >>> new_folder(Path("data/patients.csv.gz"))
    PosixPath('patients-selected')
    """
    stem = table.expanduser().absolute().name.lstrip(".").partition(".")[0] or "table"
    names = (f"{stem}-selected{suffix}" for suffix in ("", *(f"-{n}" for n in range(2, 10**6))))
    return next(Path(name) for name in names if not Path(name).exists())


def check_unused(folder: Path, names: Iterable[str], *, force: bool) -> None:
    """Raise an error if a folder already contains files of these names, unless ``force``."""
    if folder.exists() and not folder.is_dir():
        raise InputError(f"--out {folder} is a file: expected a folder, existing or new.")
    existing = [name for name in names if (folder / name).exists()]
    if existing and not force:
        raise InputError(
            f"--out {folder} already contains results ({listed(existing, 3)}): choose another "
            "folder, or overwrite them with --force."
        )


def check_results(folder: Path) -> None:
    """Raise an error if a folder has no model or no settings."""
    missing = [name for name in (MODEL, SETTINGS) if not (folder / name).is_file()]
    if missing:
        raise InputError(
            f"{folder} holds no {' and no '.join(missing)}: expected a folder written by ipcae "
            "select."
        )


def check_writable(folder: Path, n_bytes: int) -> None:
    """Create the folder; raise an error with the reason if it cannot take this many bytes."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder, prefix=".probe-") as file:
            file.write(bytes(2**12))
            file.flush()
            # A sparse file: it takes no space, but fails if files may not be this large.
            file.truncate(n_bytes)
            os.fsync(file.fileno())
        disk = shutil.disk_usage(folder)
    except OSError as error:
        raise _not_writable(folder, n_bytes, error.strerror or str(error)) from error
    if disk.total and disk.free < n_bytes:
        raise _not_writable(folder, n_bytes, f"only {disk.free / 1e6:.1f} MB are free")


def _not_writable(folder: Path, n_bytes: int, reason: str) -> InputError:
    return InputError(
        f"cannot write {n_bytes / 1e6:.1f} MB of results to --out {folder} ({reason}): choose "
        "another folder, or free some space."
    )


def write_file(path: Path, content: bytes | str) -> None:
    """Write a file atomically."""
    data = content.encode() if isinstance(content, str) else content
    try:
        write_whole(path, data)
    except OSError as error:
        raise OSError(error.errno, f"cannot write: {error.strerror}", str(path)) from error
