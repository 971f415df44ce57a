"""Read members of untrusted archives.

Archives are never extracted to disk. A member is requested by a known name and read into memory
up to a size limit; callers verify its checksum. An archive with a member path outside its folder
is refused.
"""

from __future__ import annotations

import io
import stat
import struct
import zipfile
import zlib
from collections.abc import Sequence
from pathlib import PurePosixPath, PureWindowsPath

from ipcae.errors import InputError
from ipcae.optional import optional

MAX_BYTES = 2**29
"""The maximum size of all unpacked layers of a nested archive together: 512 MiB."""

# Exceptions that zipfile raises for damaged files.
_DAMAGED = (
    *(zipfile.BadZipFile, zlib.error, struct.error),
    *(ValueError, EOFError, OSError, RuntimeError),
)


def unpack(name: str, content: bytes, members: Sequence[str] = (), limit: int = MAX_BYTES) -> bytes:
    """Read a member of nested zip archives, and decompress it if its name ends in ``.Z``.

    ``name`` and ``content`` are those of the outermost file, ``members`` the names of the members
    from the outermost archive to the innermost, and ``limit`` the largest number of unpacked bytes
    of all layers together.

    >>> packed = io.BytesIO()
    >>> with zipfile.ZipFile(packed, "w") as archive:
    ...     archive.writestr("folder/x.txt", "1 2 3")
    >>> unpack("x.zip", packed.getvalue(), ["folder/x.txt"])
    b'1 2 3'
    """
    for member in members:
        content = _read_member(name, content, member, limit)
        limit -= len(content)
        name = member
    return _decompress(name, content) if name.endswith(".Z") else content


def _read_member(name: str, content: bytes, member: str, limit: int) -> bytes:
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            unsafe = [info.filename for info in archive.infolist() if _leaves_folder(info)]
            if unsafe:
                raise InputError(f'{name} is refused: "{unsafe[0]}" is outside of the folder.')
            if member not in archive.namelist():
                raise InputError(f'{name} has no member "{member}".')
            # zipfile never returns more than the declared size.
            if archive.getinfo(member).file_size > limit:
                raise InputError(
                    f'{name} is refused: "{member}" unpacks to more than {limit} bytes.'
                )
            return archive.read(member)
    except InputError:
        raise
    except _DAMAGED as error:
        raise InputError(f"{name} is not a readable zip archive: {error}.") from error


def _leaves_folder(info: zipfile.ZipInfo) -> bool:
    posix, windows = PurePosixPath(info.filename), PureWindowsPath(info.filename)
    is_link = stat.S_ISLNK(info.external_attr >> 16)
    return is_link or bool(posix.root or windows.anchor) or ".." in windows.parts


def _decompress(name: str, content: bytes) -> bytes:
    unlzw3 = optional("unlzw3", "decompressing .Z files")
    try:
        return bytes(unlzw3.unlzw(content))
    except (ValueError, IndexError) as error:
        raise InputError(f"{name} is not a readable .Z file: {error}.") from error
