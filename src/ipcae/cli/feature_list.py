"""The list of columns that ``evaluate --features`` names."""

from __future__ import annotations

from pathlib import Path

from ipcae.cli.names import from_line
from ipcae.data.text_format import detect_encoding
from ipcae.errors import InputError

MAX_BYTES = 10_000_000


def read_list(path: Path) -> list[str]:
    """Read the names of columns, one per line, as in selected.txt."""
    if not path.is_file():
        raise InputError(
            f"--features {path} is not a file: expected a text file with one column name per line."
        )
    if path.stat().st_size > MAX_BYTES:
        raise InputError(
            f"--features {path} is larger than {MAX_BYTES / 1e6:.0f} MB: expected one column name "
            "per line."
        )
    try:
        with path.open("rb") as file:
            encoding = detect_encoding(file)
        lines = path.read_text(encoding).splitlines()
        names = [from_line(line.strip()) for line in lines if line.strip()]
    except ValueError as error:
        raise InputError(
            f"--features {path} cannot be read ({error}): expected text, with one column name per "
            "line."
        ) from error
    if not names:
        raise InputError(f"--features {path} is empty: expected one column name per line.")
    return list(dict.fromkeys(names))
