"""Locks on folders, so that one process writes to a folder at a time."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import Lock

from ipcae.errors import InputError

try:
    import fcntl
except ModuleNotFoundError:  # Windows
    fcntl = None  # type: ignore[assignment]

NAME = ".ipcae.lock"

_held: dict[str, tuple[int, int]] = {}  # folder -> open file, number of acquisitions
_guard = Lock()


@contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Lock an existing folder in this block; raise an error if another process has locked it.

    A process can lock the same folder repeatedly. The operating system releases the locks of a
    process that is killed.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     with locked(Path(folder)), locked(Path(folder)):
    ...         os.listdir(folder)
    ...     os.listdir(folder)
    ['.ipcae.lock']
    []
    """
    _acquire(folder)
    try:
        yield
    finally:
        _release(folder)


def _acquire(folder: Path) -> None:
    """Lock the folder until it is released, or until the process ends."""
    key = os.path.realpath(folder)
    with _guard:
        file, times = _held.get(key, (-1, 0))
        _held[key] = (file if times else _open(folder), times + 1)


def _release(folder: Path) -> None:
    """Release a folder once; it is unlocked after as many calls as it was acquired."""
    key = os.path.realpath(folder)
    with _guard:
        file, times = _held.pop(key)
        if times > 1:
            _held[key] = (file, times - 1)
            return
        # A process that opened the file before notices that it was removed and creates a new one.
        with suppress(OSError):
            os.unlink(os.path.join(key, NAME))
        os.close(file)


def _open(folder: Path) -> int:
    path = folder / NAME
    while True:
        file = _create(path)
        if fcntl is None:
            return file
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            os.close(file)
            raise _in_use(folder) from error
        except OSError:
            return file  # the file system does not support locks
        if _is_still(path, file):
            return file
        os.close(file)


def _create(path: Path) -> int:
    # Without flock, the existence of the file is the lock.
    exclusive = os.O_EXCL if fcntl is None else 0
    try:
        return os.open(path, os.O_RDWR | os.O_CREAT | exclusive, 0o644)
    except FileExistsError as error:
        raise _in_use(path.parent, f" If no process is running, delete {path}.") from error
    except OSError as error:
        raise InputError(
            f"cannot write to {path.parent} ({error.strerror}): choose another folder."
        ) from error


def _is_still(path: Path, file: int) -> bool:
    try:
        return os.path.samestat(os.stat(path), os.fstat(file))
    except FileNotFoundError:
        return False


def _in_use(folder: Path, advice: str = "") -> InputError:
    return InputError(
        f"another ipcae process is writing to {folder}: wait until it ends, or choose another "
        f"folder.{advice}"
    )
