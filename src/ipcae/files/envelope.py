"""The file format: safetensors, with settings and a checksum of all bytes in the header."""

from __future__ import annotations

import hashlib
import json
import os
from pathlib import Path
from typing import Any

from ipcae.errors import InputError
from ipcae.files.values import Arrays
from ipcae.filesystem.special_files import refuse_special
from ipcae.optional import optional
from ipcae.text import shortened

FORMAT = "ipcae selector"
FORMAT_VERSION = 2
MOST_HEADER = 100_000_000
"""Maximum size of the header in bytes, which is also the limit of the safetensors library."""

_BLANK = "0" * 64


def wrap(settings: dict[str, Any], arrays: Arrays) -> bytes:
    """Return the bytes of a file, which are the same for the same content.

    The checksum is the SHA-256 of the file with the checksum replaced by zeros.
    """
    optional("safetensors", "saving a selector", install="ipcae[files]")
    from safetensors.numpy import save

    plain = save(arrays)
    n_header = int.from_bytes(plain[:8], "little")
    metadata = {
        "format": FORMAT,
        "format_version": str(FORMAT_VERSION),
        "sha256": _BLANK,
        "settings": json.dumps(settings, allow_nan=False),
    }
    # The safetensors library writes metadata in random order.
    tensors = json.loads(plain[8 : 8 + n_header])
    header = json.dumps({"__metadata__": metadata, **tensors}, separators=(",", ":")).encode()
    header += b" " * (-len(header) % 8)
    content = len(header).to_bytes(8, "little") + header + plain[8 + n_header :]
    return content.replace(
        _checksum_field(_BLANK), _checksum_field(hashlib.sha256(content).hexdigest()), 1
    )


def unwrap(content: bytes, place: str) -> tuple[dict[str, Any], Arrays]:
    """Check the checksum and the version, and return the settings and arrays."""
    optional("safetensors", "loading a selector", install="ipcae[files]")
    from safetensors.numpy import load

    metadata = _metadata(content, place)
    _check_whole(content, metadata, place)
    version = metadata.get("format_version", "")
    if version != str(FORMAT_VERSION):
        raise InputError(
            f"{place} was written by a newer ipcae (file format {version}, this one reads up to "
            f"{FORMAT_VERSION}): upgrade with pip install --upgrade ipcae."
        )
    try:
        settings = json.loads(metadata["settings"])
        arrays: Arrays = load(content)
    except Exception as error:  # the file may be crafted
        reason = shortened(" ".join(str(error).split()), 200)
        raise InputError(f"{place} is not a valid selector file ({reason}).") from error
    return settings, arrays


def _check_beginning(beginning: bytes, n_bytes: int, place: str) -> int:
    """Return the length of the header, after checking it against the size of the file."""
    n_header = int.from_bytes(beginning[:8], "little")
    if n_bytes < 10 or beginning[8:] != b"{":
        raise InputError(
            f"{place} is not a safetensors file, or incomplete: expected the model.safetensors of "
            "ipcae select, or a file written by selector.save."
        )
    if 8 + n_header > n_bytes:
        raise InputError(f"{place} is damaged: it is truncated. Save or copy it again.")
    if n_header > MOST_HEADER:
        raise InputError(
            f"{place} cannot be read: its header has {n_header / 1e6:.0f} MB, expected at most "
            f"{MOST_HEADER / 1e6:.0f} MB."
        )
    return n_header


def _metadata(content: bytes, place: str) -> dict[str, str]:
    """Read the metadata in the header, without trusting its content."""
    n_header = _check_beginning(content[:9], len(content), place)
    try:
        metadata = json.loads(content[8 : 8 + n_header]).get("__metadata__", {})
    except (ValueError, RecursionError) as error:
        raise InputError(f"{place} is damaged: its header cannot be read.") from error
    if not isinstance(metadata, dict) or not all(isinstance(v, str) for v in metadata.values()):
        raise InputError(f"{place} is damaged: its header cannot be read.")
    if "sha256" not in metadata or "settings" not in metadata or metadata.get("format") != FORMAT:
        raise InputError(
            f"{place} is a safetensors file, but not a selector of ipcae: expected a file written "
            "by selector.save."
        )
    return metadata


def _check_whole(content: bytes, metadata: dict[str, str], place: str) -> None:
    written = metadata["sha256"]
    blank = content.replace(_checksum_field(written), _checksum_field(_BLANK), 1)
    if hashlib.sha256(blank).hexdigest() != written:
        raise InputError(
            f"{place} is damaged: its checksum does not match its content. Save or copy it again."
        )


def _checksum_field(checksum: str) -> bytes:
    # Quotes in strings are escaped, so this cannot occur elsewhere in the header.
    return f'"sha256":"{checksum}"'.encode(errors="surrogatepass")


def read(path: Path) -> bytes:
    """Read a file; raise an error before reading all of it if it cannot be a selector."""
    if path.is_dir():
        raise InputError(f"{path} is a folder: expected a file written by selector.save.")
    refuse_special(path)
    try:
        with path.open("rb") as file:
            n_bytes = os.fstat(file.fileno()).st_size
            beginning = file.read(9)
            if not beginning:
                raise InputError(f"{path} is empty: expected a file written by selector.save.")
            _check_beginning(beginning, n_bytes, str(path))
            return beginning + file.read()
    except FileNotFoundError as error:
        raise InputError(f"{path} does not exist.") from error
