"""``ipcae data``: listing and downloading data sets."""

import hashlib
import threading
from collections.abc import Iterator
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, HTTPServer

import pytest

from ipcae.data import CATALOGUE
from ipcae.data.dataset import File, Mirror

CONTENT = b"the published content"


@pytest.fixture(autouse=True)
def cache(tmp_path, monkeypatch):
    monkeypatch.setenv("IPCAE_CACHE", str(tmp_path / "cache"))
    monkeypatch.delenv("IPCAE_DATA", raising=False)
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    return tmp_path / "cache"


@pytest.fixture
def address() -> Iterator[str]:
    """A server that serves /tiny.txt and nothing else."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            if self.path != "/tiny.txt":
                self.send_error(404)
                return
            self.send_response(200)
            self.send_header("Content-Length", str(len(CONTENT)))
            self.end_headers()
            self.wfile.write(CONTENT)

        def log_message(self, *_: object) -> None:
            pass

    with HTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()
        thread.join()


@pytest.fixture
def catalogue(address):
    """Two data sets: one that can be had, one that cannot."""
    published = dict(CATALOGUE)
    CATALOGUE.clear()
    for name, page in (("lost", "gone.txt"), ("tiny", "tiny.txt")):
        file = File(
            "tiny.txt",
            hashlib.sha256(CONTENT).hexdigest(),
            len(CONTENT),
            (Mirror(f"{address}/{page}"),),
        )
        CATALOGUE[name] = replace(published["isolet"], name=name, files=(file,))
    yield
    CATALOGUE.clear()
    CATALOGUE.update(published)  # in their order


def test_the_list_tells_what_there_is_and_where(ipcae, cache):
    folder = cache / "coil20"
    folder.mkdir(parents=True)
    (folder / "COIL20.mat").write_bytes(b"")
    code, out, err = ipcae("data", "list")
    assert (code, err) == (0, "")
    assert all(dataset.title in out for dataset in CATALOGUE.values())
    assert f"folder: {folder}\n" in out
    assert "ipcae data get NAME" in out
    lines = out.splitlines()
    row = next(i for i, line in enumerate(lines) if line.split()[:1] == ["isolet"])
    assert lines[row].split()[:4] == ["isolet", "617", "26", "50"]
    assert [line.strip() for line in lines[row + 1 : row + 3]] == [
        "license: CC BY 4.0",
        "folder: not downloaded",
    ]


def test_a_data_set_is_downloaded_once(ipcae, catalogue, cache):
    code, out, err = ipcae("data", "get", "tiny")
    assert code == 0
    assert "downloading http://127.0.0.1" in err
    assert out.startswith(f"tiny: downloaded, 0.0 MB in {cache / 'tiny'}")
    code, out, err = ipcae("data", "get", "tiny")
    assert (code, err) == (0, "")
    assert out.startswith("tiny: verified, 0.0 MB in")
    assert ipcae("data", "get", "tiny", "--quiet") == (0, "", "")


def test_a_download_that_fails_says_why_and_lets_the_next_one_try(ipcae, catalogue, cache):
    code, out, err = ipcae("data", "get", "--all")
    assert code == 1
    assert "error: no mirror of lost served tiny.txt" in err
    assert "answered 404" in err
    assert (cache / "tiny" / "tiny.txt").read_bytes() == CONTENT
    assert "tiny: downloaded" in out


def test_an_unknown_data_set_is_refused(ipcae):
    code, _, err = ipcae("data", "get", "isolett")
    assert code == 2
    assert err == 'error: there is no data set "isolett": did you mean isolet?\n'
    code, _, err = ipcae("data", "get")
    assert code == 2
    assert "--all" in err
