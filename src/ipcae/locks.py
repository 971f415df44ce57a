"""A folder that one process writes to at a time."""

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

_held: dict[str, tuple[int, int]] = {}  # folder -> open file, how often it is held
_guard = Lock()


@contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Hold the folder, which must exist, while the block runs; refuse if another process does.

    The same process may hold a folder several times over. The system releases the lock of a
    process that is killed.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     with locked(Path(folder)), locked(Path(folder)):
    ...         os.listdir(folder)
    ...     os.listdir(folder)
    ['.ipcae.lock']
    []
    """
    acquire(folder)
    try:
        yield
    finally:
        release(folder)


def acquire(folder: Path) -> None:
    """Hold the folder until :func:`release`, or until the process ends."""
    key = os.path.realpath(folder)
    with _guard:
        file, times = _held.get(key, (-1, 0))
        _held[key] = (file if times else _open(folder), times + 1)


def release(folder: Path) -> None:
    """Let go of a folder that :func:`acquire` held; once for every time."""
    key = os.path.realpath(folder)
    with _guard:
        file, times = _held.pop(key)
        if times > 1:
            _held[key] = (file, times - 1)
            return
        # A process that opened the file before it was removed sees so, and makes a new one.
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
            raise _refusal(folder) from error
        except OSError:
            return file  # a file system without locks
        if _is_still(path, file):
            return file
        os.close(file)


def _create(path: Path) -> int:
    # Without locks of the system, the file itself is the lock.
    alone = os.O_EXCL if fcntl is None else 0
    try:
        return os.open(path, os.O_RDWR | os.O_CREAT | alone, 0o644)
    except FileExistsError as error:
        raise _refusal(path.parent, f" If there is none, delete {path}.") from error
    except OSError as error:
        raise InputError(
            f"cannot write to {path.parent} ({error.strerror}): choose another folder."
        ) from error


def _is_still(path: Path, file: int) -> bool:
    try:
        return os.path.samestat(os.stat(path), os.fstat(file))
    except FileNotFoundError:
        return False


def _refusal(folder: Path, advice: str = "") -> InputError:
    return InputError(
        f"another process of ipcae is writing to {folder}: wait until it ends, or choose another "
        f"folder.{advice}"
    )
