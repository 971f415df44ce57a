"""The folder that results go into: checked before training, written file by whole file."""

from __future__ import annotations

import os
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
    """Make the folder and write as much as the results will take into it, once, for the proof.

    Raises
    ------
    InputError
        With the system's own word for what stands in the way.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        # Random bytes: a file system that compresses must make room for them too.
        block = os.urandom(2**16)
        with tempfile.TemporaryFile(dir=folder, prefix=".probe-") as file:
            for _ in range(-(-n_bytes // len(block))):
                file.write(block)
            file.flush()
            os.fsync(file.fileno())
    except OSError as error:
        raise InputError(
            f"cannot write {n_bytes / 1e6:.1f} MB of results to --out {folder} "
            f"({error.strerror or error}): choose another folder, or make room in this one."
        ) from error


def write_file(path: Path, content: bytes | str) -> None:
    """Write a file so that it is there whole or not at all."""
    data = content.encode() if isinstance(content, str) else content
    try:
        write_whole(path, data)
    except OSError as error:
        raise OSError(error.errno, f"cannot write: {error.strerror}", str(path)) from error
