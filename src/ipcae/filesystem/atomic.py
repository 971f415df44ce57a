"""Atomic writing of files."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path
from uuid import uuid4

from ipcae.errors import InputError
from ipcae.filesystem.special_files import refuse_special


def write_whole(path: Path, content: bytes) -> None:
    """Write a file atomically; if this fails, an existing file is unchanged.

    Symbolic links are followed. If the file exists, its permissions are preserved.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_whole(Path(folder, "a.txt"), b"whole")
    ...     os.listdir(folder)
    ['a.txt']
    """
    check_place(path)
    path = Path(os.path.realpath(path))
    scratch = path.with_name(f".{path.name}.{uuid4().hex[:8]}.part")
    try:
        _write_like(path, scratch, content)
        os.replace(scratch, path)
    except BaseException:
        with suppress(OSError):
            scratch.unlink(missing_ok=True)
        raise


def check_place(path: Path) -> None:
    """Raise an error if the path is not a regular file, or its folder does not exist."""
    refuse_special(path)
    folder = Path(os.path.realpath(path)).parent
    if not folder.is_dir():
        raise InputError(f"{path} cannot be written: there is no folder {folder}.")


def _write_like(path: Path, scratch: Path, content: bytes) -> None:
    """Write the content to a new file, with the permissions of ``path`` if it exists."""
    try:
        mode = os.stat(path).st_mode & 0o777
    except FileNotFoundError:
        scratch.write_bytes(content)
        return
    # Set the permissions on creation, so that the file is never more readable than the original.
    with open(os.open(scratch, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode), "wb") as file:
        file.write(content)
    os.chmod(scratch, mode)
