"""``--live``: the curves in a browser of this computer while they grow."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import BoundedSemaphore, Event, Thread
from typing import Any
from urllib.parse import urlsplit

from ipcae.errors import InputError
from ipcae.report.live import LiveCurves, live_html

HOST = "127.0.0.1"
MOST_CONNECTIONS, IDLE_SECONDS = 32, 10.0
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
        self._free = BoundedSemaphore(MOST_CONNECTIONS)
        super().__init__((HOST, port), _Handler)

    def close(self) -> None:
        """End, once a page that is open knows how it ended."""
        if time.monotonic() - self.last_asked < _WATCHING_SECONDS:
            self.farewell.wait(_FAREWELL_SECONDS)
        self.shutdown()
        self.server_close()

    def names_us(self, host: str | None) -> bool:
        """Whether a request was meant for this server.

        A page of another site can lead its own name to 127.0.0.1, and a browser would then let it
        read the answers. The browser still says which name it asked for.
        """
        # Browsers leave out the port of the web.
        port = "" if self.server_port == 80 else f":{self.server_port}"
        return host in {f"{name}{port}" for name in (HOST, "localhost")}

    def process_request(self, request: Any, client_address: Any) -> None:
        """Answer in a thread of its own, unless there are too many."""
        if not self._free.acquire(blocking=False):
            self.shutdown_request(request)
            return
        try:
            super().process_request(request, client_address)
        except BaseException:
            self._free.release()
            raise

    def process_request_thread(self, request: Any, client_address: Any) -> None:
        """Answer, and make place for another."""
        try:
            super().process_request_thread(request, client_address)
        finally:
            self._free.release()

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Be quiet: a browser that went away is no news."""


class _Handler(BaseHTTPRequestHandler):
    server: LiveServer
    timeout = IDLE_SECONDS

    def do_GET(self) -> None:
        """Answer with the page or with the news."""
        if not self.server.names_us(self.headers.get("Host")):
            self.send_error(421)
            return
        try:
            url = urlsplit(self.path)
        except ValueError:
            self.send_error(400)
            return
        if url.path == "/":
            self._answer(self.server.page, "text/html; charset=utf-8")
        elif url.path == "/state":
            state = self.server.curves.state(_number(url.query))
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
        self.send_header("X-Content-Type-Options", "nosniff")
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, format: str, *values: object) -> None:
        """Be quiet: the terminal belongs to the command."""


def _number(query: str) -> int:
    """Return the version that the page has seen, 0 if it does not say.

    >>> _number("seen=12"), _number("seen=many"), _number("seen=" + "9" * 5000)
    (12, 0, 0)
    """
    found = re.fullmatch(r"seen=([0-9]{1,15})", query)
    return int(found[1]) if found else 0


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
