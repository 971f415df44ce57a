"""Checks for paths that are not regular files, such as devices, pipes and sockets."""

from __future__ import annotations

import os
import stat
from pathlib import Path

from ipcae.errors import InputError

_KINDS = {
    stat.S_IFCHR: "a device",
    stat.S_IFBLK: "a device",
    stat.S_IFIFO: "a pipe",
    stat.S_IFSOCK: "a socket",
    stat.S_IFDIR: "a folder",
}


def refuse_special(path: Path) -> None:
    """Raise an error if the path exists and is not a regular file; links are followed.

    >>> refuse_special(Path(os.devnull))
    Traceback (most recent call last):
    ...
    ipcae.errors.InputError: /dev/null is a device: expected the name of a regular file.
    """
    try:
        mode = os.stat(path).st_mode
    except (FileNotFoundError, NotADirectoryError):
        return
    if not stat.S_ISREG(mode):
        kind = _KINDS.get(stat.S_IFMT(mode), "not a regular file")
        raise InputError(f"{path} is {kind}: expected the name of a regular file.")
