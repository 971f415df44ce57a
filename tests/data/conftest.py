"""Folders of their own, a web server on this computer, and a packer for .Z files."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty cache, and no other folder to look in."""
    monkeypatch.setenv("IPCAE_CACHE", str(tmp_path / "cache"))
    monkeypatch.delenv("IPCAE_DATA", raising=False)
    return tmp_path / "cache"


@pytest.fixture
def own_data(cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder that IPCAE_DATA names, beside an empty cache."""
    monkeypatch.setenv("IPCAE_DATA", str(tmp_path / "own"))
    return tmp_path / "own"


@dataclass
class Server:
    """Serves ``pages``: bytes, or a function that answers by itself; anything else is a 404."""

    address: str
    pages: dict[str, bytes | Callable[[BaseHTTPRequestHandler], None]] = field(default_factory=dict)
    asked: list[str] = field(default_factory=list)


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            running.asked.append(self.path)
            page = running.pages.get(self.path)
            if page is None:
                self.send_error(404)
            elif isinstance(page, bytes):
                self.send_response(200)
                self.send_header("Content-Length", str(len(page)))
                self.end_headers()
                self.wfile.write(page)
            else:
                page(self)

        def log_message(self, format: str, *args: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as http:
        running = Server(f"http://127.0.0.1:{http.server_address[1]}")
        thread = threading.Thread(target=http.serve_forever)
        thread.start()
        yield running
        http.shutdown()
        thread.join()


@pytest.fixture
def compress() -> Callable[[bytes], bytes]:
    return lzw


def lzw(data: bytes) -> bytes:
    """Compress as Unix `compress` does: LZW with codes of 9 to 16 bits, eight codes at a time."""
    packed = bytearray(b"\x1f\x9d\x90")
    table = {bytes([byte]): byte for byte in range(256)}
    free, bits, codes = 257, 9, list[int]()

    def flush(n_bytes: int) -> None:
        packed.extend(
            sum(code << i * bits for i, code in enumerate(codes)).to_bytes(n_bytes, "little")
        )
        codes.clear()

    word = b""
    for byte in data:
        longer = word + bytes([byte])
        if longer in table:
            word = longer
            continue
        codes.append(table[word])
        if len(codes) == 8:
            flush(bits)
        if free < 2**16:
            if free >= 2**bits:
                # A group is filled up before codes grow longer.
                flush(bits if codes else 0)
                bits += 1
            table[longer] = free
            free += 1
        word = bytes([byte])
    codes.append(table[word])
    flush((len(codes) * bits + 7) // 8)
    return bytes(packed)
