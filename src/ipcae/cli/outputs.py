"""The folder that results go into: checked before training, written file by whole file."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterable
from pathlib import Path

from ipcae.atomic import write_whole
from ipcae.errors import InputError
from ipcae.text import listed


def check_unused(folder: Path, names: Iterable[str], *, force: bool) -> None:
    """Refuse a folder that already holds files of these names, unless forced."""
    if folder.exists() and not folder.is_dir():
        raise InputError(f"--out {folder} is a file: expected a folder, which may be a new one.")
    held = [name for name in names if (folder / name).exists()]
    if held and not force:
        raise InputError(
            f"--out {folder} already holds results ({listed(held, 3)}): choose another folder, or "
            "replace them with --force."
        )


def check_writable(folder: Path, n_bytes: int) -> None:
    """Make the folder, and see that so much can be written to it without writing so much.

    Raises
    ------
    InputError
        With the system's own word for what stands in the way.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder, prefix=".probe-") as file:
            file.write(bytes(2**12))
            file.flush()
            # A file with a hole: it takes no room, but shows how long a file may be.
            file.truncate(n_bytes)
            os.fsync(file.fileno())
        disk = shutil.disk_usage(folder)
    except OSError as error:
        raise _no_room(folder, n_bytes, error.strerror or str(error)) from error
    if disk.total and disk.free < n_bytes:
        raise _no_room(folder, n_bytes, f"only {disk.free / 1e6:.1f} MB are free")


def _no_room(folder: Path, n_bytes: int, reason: str) -> InputError:
    return InputError(
        f"cannot write {n_bytes / 1e6:.1f} MB of results to --out {folder} ({reason}): choose "
        "another folder, or make room in this one."
    )


def write_file(path: Path, content: bytes | str) -> None:
    """Write a file so that it is there whole or not at all."""
    data = content.encode() if isinstance(content, str) else content
    try:
        write_whole(path, data)
    except OSError as error:
        raise OSError(error.errno, f"cannot write: {error.strerror}", str(path)) from error
