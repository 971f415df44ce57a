"""Files that are there whole or not at all."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path
from uuid import uuid4


def write_whole(path: Path, content: bytes) -> None:
    """Write a file in one piece; where that fails, what was there before stays.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_whole(Path(folder, "a.txt"), b"whole")
    ...     os.listdir(folder)
    ['a.txt']
    """
    scratch = path.with_name(f".{path.name}.{uuid4().hex[:8]}.part")
    try:
        scratch.write_bytes(content)
        os.replace(scratch, path)
    except BaseException:
        with suppress(OSError):
            scratch.unlink(missing_ok=True)
        raise
