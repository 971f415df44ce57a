"""--live: a local page whose curves grow during training."""

import json
import re
import socket
import threading
import time
import urllib.error
import urllib.request

import pytest

from ipcae.cli.live import serving
from ipcae.cli.options.selection_options import FitOptions, InputOptions, OutputOptions
from ipcae.cli.select import select_columns
from ipcae.report.live import LiveCurves


def fetch(address):
    with urllib.request.urlopen(address, timeout=10) as answer:
        return answer.headers["Content-Type"], answer.read().decode()


class Watcher(threading.Thread):
    """Somebody with a browser: opens the address that is printed, and asks until the end."""

    def __init__(self, printed):
        super().__init__(daemon=True)
        self.printed = printed
        self.page, self.states, self.error = "", [], None

    def run(self):
        try:
            while not (found := re.search(r"http://127\.0\.0\.1:\d+/", "".join(self.printed))):
                time.sleep(0.01)
            _, self.page = fetch(found.group())
            while not (self.states and self.states[-1]["finished"]):
                seen = self.states[-1]["version"] if self.states else 0
                self.states.append(json.loads(fetch(f"{found.group()}state?seen={seen}")[1]))
                time.sleep(0.02)
        except Exception as error:
            self.error = error


def test_the_curves_grow_while_the_command_trains(frame, tmp_path, monkeypatch):
    frame.to_csv(tmp_path / "patients.csv", index=False)
    printed = []
    monkeypatch.setattr("builtins.print", lambda text="", **options: printed.append(text))
    watcher = Watcher(printed)
    watcher.start()
    code = select_columns(
        InputOptions(tmp_path / "patients.csv", "label", None, ("price",)),
        FitOptions(3, method="ip-cae", runs=2, epochs=40),
        OutputOptions(tmp_path / "out", live_port=0),
    )
    watcher.join(timeout=10)
    assert watcher.error is None
    assert code == 0
    assert "<h1>patients.csv: 3 of 6 columns</h1>" in watcher.page
    sentences = [state["sentence"] for state in watcher.states]
    assert sentences[-1] == f"Finished. The report is {tmp_path / 'out' / 'report.html'}."
    assert any(re.match(r"Selecting: epoch \d+ of 40, validation loss ", s) for s in sentences)
    drawn = [state["charts"] for state in watcher.states if "charts" in state]
    ends = [int(re.search(r'"heads":\[.*?"epoch (\d+)"\]', charts).group(1)) for charts in drawn]
    assert ends == sorted(ends)
    assert ends[-1] == 48
    settings = json.loads((tmp_path / "out" / "settings.json").read_text())
    assert settings["parameters"]["callbacks"] is None


def test_without_a_port_nothing_is_served():
    with serving(LiveCurves(), "a table", None) as address:
        assert address is None


def test_the_server_ends_with_the_command():
    curves = LiveCurves()
    with serving(curves, "a <table>", 0) as address:
        kind, page = fetch(address)
        assert kind == "text/html; charset=utf-8"
        assert "a &lt;table&gt;" in page
        assert json.loads(fetch(f"{address}state?seen=nonsense")[1])["done"] == 0
        with pytest.raises(urllib.error.HTTPError, match="404"):
            fetch(f"{address}etc/passwd")
        curves.say("Finished.", finished=True)
        assert json.loads(fetch(f"{address}state")[1])["finished"]
    with pytest.raises(urllib.error.URLError):
        fetch(address)


def test_a_port_in_use_is_reported_before_the_training(select, numbers):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        outcome = select(numbers, "--live", "--live-port", taken.getsockname()[1])
    assert outcome.code == 2
    assert "--live-port" in outcome.err
    assert "training" not in outcome.err


def test_a_port_out_of_range_is_refused(select, numbers):
    assert "choose another" in select(numbers, "--live-port", 70000).err


def ask(address, request):
    """Send bytes to the server and return all that it answers."""
    port = int(re.search(r":(\d+)/", address)[1])
    with socket.create_connection(("127.0.0.1", port), timeout=10) as connection:
        connection.sendall(request.replace(b"PORT", str(port).encode()))
        connection.shutdown(socket.SHUT_WR)
        answer = b""
        while part := connection.recv(4096):
            answer += part
    return answer


@pytest.mark.parametrize(
    ("host", "code"),
    [
        (b"127.0.0.1:PORT", b"200"),
        (b"localhost:PORT", b"200"),
        (b"evil.example:PORT", b"421"),
        (b"evil.example", b"421"),
        (b"127.0.0.1", b"421"),
        (b"localhost.evil.example:PORT", b"421"),
        (b"", b"421"),
    ],
)
def test_only_this_computer_is_answered(host, code):
    with serving(LiveCurves(), "a table", 0) as address:
        answer = ask(address, b"GET / HTTP/1.1\r\nHost: %s\r\n\r\n" % host)
        assert answer.startswith(b"HTTP/1.0 " + code)
        assert (b"a table" in answer) == (code == b"200")
        assert ask(address, b"GET /state HTTP/1.0\r\n\r\n").startswith(b"HTTP/1.0 421")


@pytest.mark.parametrize(
    "request_line",
    [
        b"GET //[ HTTP/1.1",
        b"GET http://[::1 HTTP/1.1",
        b"GET /state?seen=" + b"9" * 5000 + b" HTTP/1.1",
        b"GET /state?seen=%ff%00 HTTP/1.1",
        b"GET /\xff\xfe HTTP/1.1",
        b"\x16\x03\x01\x02\x00\x01",
        b"GET",
        b"GET / HTTP/9.9.9",
        b"POST / HTTP/1.1",
        b"GET /" + b"a" * 70_000 + b" HTTP/1.1",
    ],
)
def test_malformed_requests_do_not_stop_the_server(request_line, capfd):
    with serving(LiveCurves(), "a table", 0) as address:
        ask(address, request_line + b"\r\nHost: 127.0.0.1:PORT\r\n\r\n")
        assert "a table" in fetch(address)[1]
    assert capfd.readouterr() == ("", "")


def test_idle_connections_are_few_and_end(monkeypatch):
    monkeypatch.setattr("ipcae.cli.live._Handler.timeout", 0.5)
    monkeypatch.setattr("ipcae.cli.live.MAX_CONNECTIONS", 4)
    before = threading.active_count()
    with serving(LiveCurves(), "a table", 0) as address:
        port = int(re.search(r":(\d+)/", address)[1])
        idle = [socket.create_connection(("127.0.0.1", port), timeout=10) for _ in range(40)]
        time.sleep(0.2)
        assert threading.active_count() <= before + 1 + 4
        assert [connection.recv(1) for connection in idle] == [b""] * 40
        assert "a table" in fetch(address)[1]
        for connection in idle:
            connection.close()
