"""``--live``: the curves in a browser of this computer while they grow."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Event, Thread
from urllib.parse import parse_qs, urlsplit

from ipcae.errors import InputError
from ipcae.report.live import LiveCurves, live_html

HOST = "127.0.0.1"
# A page asks every second; one that has not for so long is closed.
_WATCHING_SECONDS, _FAREWELL_SECONDS = 3.0, 2.0


class LiveServer(ThreadingHTTPServer):
    """Serves the page and the news of some curves, to this computer only."""

    daemon_threads = True

    def __init__(self, curves: LiveCurves, title: str, port: int):
        self.curves = curves
        self.page = live_html(title).encode()
        self.last_asked = -_WATCHING_SECONDS
        self.farewell = Event()
        super().__init__((HOST, port), _Handler)

    def close(self) -> None:
        """End, once a page that is open knows how it ended."""
        if time.monotonic() - self.last_asked < _WATCHING_SECONDS:
            self.farewell.wait(_FAREWELL_SECONDS)
        self.shutdown()
        self.server_close()


class _Handler(BaseHTTPRequestHandler):
    server: LiveServer

    def do_GET(self) -> None:
        """Answer with the page or with the news."""
        url = urlsplit(self.path)
        if url.path == "/":
            self._answer(self.server.page, "text/html; charset=utf-8")
        elif url.path == "/state":
            seen = parse_qs(url.query).get("seen", ["0"])[0]
            state = self.server.curves.state(int(seen) if seen.isdecimal() else 0)
            self.server.last_asked = time.monotonic()
            self._answer(json.dumps(state).encode(), "application/json")
            if state["finished"]:
                self.server.farewell.set()
        else:
            self.send_error(404)

    def _answer(self, content: bytes, kind: str) -> None:
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(content)))
        self.send_header("Cache-Control", "no-store")
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, format: str, *values: object) -> None:
        """Be quiet: the terminal belongs to the command."""


@contextmanager
def serving(curves: LiveCurves, title: str, port: int | None) -> Iterator[str | None]:
    """Serve on a port, 0 for any that is free, until the block is left; yield the address.

    Without a port, nothing is served.
    """
    if port is None:
        yield None
        return
    try:
        server = LiveServer(curves, title, port)
    except (OSError, OverflowError) as error:
        reason = getattr(error, "strerror", None) or error
        raise InputError(
            f"--live-port {port} cannot be used ({reason}): choose another, or leave it out."
        ) from error
    Thread(target=server.serve_forever, args=(0.05,), daemon=True).start()
    try:
        yield f"http://{HOST}:{server.server_port}/"
    finally:
        server.close()
