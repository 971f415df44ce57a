"""``--live``: a local web server that shows the training curves."""

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
MAX_CONNECTIONS, IDLE_SECONDS = 32, 10.0
# An open page sends a request every second. At the end, wait this long for its last request.
_ACTIVE_SECONDS, _LAST_REQUEST_SECONDS = 3.0, 2.0


class LiveServer(ThreadingHTTPServer):
    """Serves the page and the state of the curves, on the loopback interface only."""

    daemon_threads = True

    def __init__(self, curves: LiveCurves, title: str, port: int):
        self.curves = curves
        self.page = live_html(title).encode()
        self.last_request = -_ACTIVE_SECONDS
        self.end_sent = Event()
        self._free = BoundedSemaphore(MAX_CONNECTIONS)
        super().__init__((HOST, port), _Handler)

    def close(self) -> None:
        """Stop the server, after an open page has received the final state."""
        if time.monotonic() - self.last_request < _ACTIVE_SECONDS:
            self.end_sent.wait(_LAST_REQUEST_SECONDS)
        self.shutdown()
        self.server_close()

    def is_for_this_server(self, host: str | None) -> bool:
        """Return whether the Host header of a request names this server.

        This prevents DNS rebinding: a website could resolve its own name to 127.0.0.1 and read the
        responses, but its requests would have its own name in the Host header.
        """
        # Browsers omit port 80.
        port = "" if self.server_port == 80 else f":{self.server_port}"
        return host in {f"{name}{port}" for name in (HOST, "localhost")}

    def process_request(self, request: Any, client_address: Any) -> None:
        """Handle a request in a new thread, or close it if there are too many."""
        if not self._free.acquire(blocking=False):
            self.shutdown_request(request)
            return
        try:
            super().process_request(request, client_address)
        except BaseException:
            self._free.release()
            raise

    def process_request_thread(self, request: Any, client_address: Any) -> None:
        """Handle a request, then release its slot."""
        try:
            super().process_request_thread(request, client_address)
        finally:
            self._free.release()

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Ignore errors, such as a connection closed by the browser."""


class _Handler(BaseHTTPRequestHandler):
    server: LiveServer
    timeout = IDLE_SECONDS

    def do_GET(self) -> None:
        """Send the page or the state of the curves."""
        if not self.server.is_for_this_server(self.headers.get("Host")):
            self.send_error(421)
            return
        try:
            url = urlsplit(self.path)
        except ValueError:
            self.send_error(400)
            return
        if url.path == "/":
            self._send(self.server.page, "text/html; charset=utf-8")
        elif url.path == "/state":
            state = self.server.curves.state(_number(url.query))
            self.server.last_request = time.monotonic()
            self._send(json.dumps(state).encode(), "application/json")
            if state["finished"]:
                self.server.end_sent.set()
        else:
            self.send_error(404)

    def _send(self, content: bytes, kind: str) -> None:
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(content)))
        self.send_header("Cache-Control", "no-store")
        self.send_header("X-Content-Type-Options", "nosniff")
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, format: str, *values: object) -> None:
        """Do not log requests to the terminal."""


def _number(query: str) -> int:
    """Return the version of the state that the page has, or 0 if the query has none.

    >>> _number("seen=12"), _number("seen=many"), _number("seen=" + "9" * 5000)
    (12, 0, 0)
    """
    found = re.fullmatch(r"seen=([0-9]{1,15})", query)
    return int(found[1]) if found else 0


@contextmanager
def serving(curves: LiveCurves, title: str, port: int | None) -> Iterator[str | None]:
    """Run the server inside the ``with`` block and return its address.

    Port 0 stands for any free port. If the port is None, no server is started.
    """
    if port is None:
        yield None
        return
    try:
        server = LiveServer(curves, title, port)
    except (OSError, OverflowError) as error:
        reason = getattr(error, "strerror", None) or error
        raise InputError(
            f"--live-port {port} cannot be used ({reason}): choose another port, or remove the "
            "option."
        ) from error
    Thread(target=server.serve_forever, args=(0.05,), daemon=True).start()
    try:
        yield f"http://{HOST}:{server.server_port}/"
    finally:
        server.close()
