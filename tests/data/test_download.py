"""Downloading data sets from mirrors to the cache."""

import hashlib
import io
import socket
import zipfile
from dataclasses import replace
from http.server import BaseHTTPRequestHandler
from pathlib import Path

import pytest

from ipcae.data import CATALOGUE, Dataset, fetch, load
from ipcae.data.dataset import File, Mirror
from ipcae.errors import InputError

CONTENT = b"the published content" * 1_000


def dataset_of(*files: File) -> Dataset:
    return replace(CATALOGUE["isolet"], name="tiny", files=files)


def file_at(*urls: str, path: str = "tiny.txt", content: bytes = CONTENT) -> File:
    mirrors = tuple(Mirror(url) for url in urls)
    return File(path, hashlib.sha256(content).hexdigest(), len(content), mirrors)


def files_in(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.rglob("*"))


def test_the_next_mirror_is_tried_until_the_content_is_right(server, cache: Path):
    server.pages = {"/wrong": b"a page of advertisements", "/good": CONTENT, "/spare": CONTENT}
    urls = [f"{server.address}/{page}" for page in ("gone", "wrong", "good", "spare")]
    places = fetch(dataset_of(file_at(*urls)))
    assert places == {"tiny.txt": cache / "tiny" / "tiny.txt"}
    assert places["tiny.txt"].read_bytes() == CONTENT
    assert server.asked == ["/gone", "/wrong", "/good"]
    assert files_in(cache / "tiny") == ["tiny.txt"]


def test_what_is_here_is_not_downloaded_again(server, cache: Path):
    server.pages = {"/good": CONTENT}
    dataset = dataset_of(file_at(f"{server.address}/good"))
    assert fetch(dataset) == fetch(dataset)
    assert server.asked == ["/good"]


def test_a_damaged_file_in_the_cache_is_downloaded_again(server, cache: Path):
    server.pages = {"/good": CONTENT}
    dataset = dataset_of(file_at(f"{server.address}/good"))
    path = fetch(dataset)["tiny.txt"]
    path.write_bytes(b"damaged")
    with path.open("rb") as reader:
        assert fetch(dataset)["tiny.txt"].read_bytes() == CONTENT
        # Whoever had the old file open keeps the old file: it was replaced, not rewritten.
        assert reader.read() == b"damaged"


def test_a_damaged_file_of_the_user_is_reported_and_kept(server, own_data: Path):
    path = own_data / "tiny" / "tiny.txt"
    path.parent.mkdir(parents=True)
    path.write_bytes(b"my own")
    with pytest.raises(InputError, match=r"does not hold the published tiny\.txt"):
        fetch(dataset_of(file_at(f"{server.address}/good")))
    assert path.read_bytes() == b"my own"
    assert server.asked == []


def test_an_archive_is_downloaded_once_for_all_its_files(server, cache: Path):
    inner, outer = io.BytesIO(), io.BytesIO()
    with zipfile.ZipFile(inner, "w") as archive:
        archive.writestr("a/x.txt", b"x")
        archive.writestr("a/y.txt", b"y")
    with zipfile.ZipFile(outer, "w") as archive:
        archive.writestr("inner.zip", inner.getvalue())
    server.pages = {"/outer.zip": outer.getvalue()}
    files = [
        File(path, hashlib.sha256(content).hexdigest(), 1, (Mirror(url, ("inner.zip", path)),))
        for path, content in (("a/x.txt", b"x"), ("a/y.txt", b"y"))
        for url in [f"{server.address}/outer.zip"]
    ]
    fetch(dataset_of(*files))
    assert (cache / "tiny" / "a" / "y.txt").read_bytes() == b"y"
    assert server.asked == ["/outer.zip"]


def test_the_first_choice_of_every_file_comes_before_any_second_choice(server, cache: Path):
    server.pages = {f"/{host}/{name}": name.encode() for host in "ab" for name in ("x", "y")}
    del server.pages["/a/y"]
    files = [
        file_at(f"{server.address}/a/{n}", f"{server.address}/b/{n}", path=n, content=n.encode())
        for n in ("x", "y")
    ]
    fetch(dataset_of(*files))
    assert server.asked == ["/a/x", "/a/y", "/b/y"]


def test_a_file_is_never_seen_half_written(server, cache: Path):
    seen = []

    def slowly(request: BaseHTTPRequestHandler) -> None:
        request.send_response(200)
        request.send_header("Content-Length", str(len(CONTENT)))
        request.end_headers()
        request.wfile.write(CONTENT[:5_000])
        request.wfile.flush()
        seen.append((cache / "tiny" / "tiny.txt").exists())
        request.wfile.write(CONTENT[5_000:])

    server.pages = {"/slow": slowly}
    fetch(dataset_of(file_at(f"{server.address}/slow")))
    assert seen == [False]
    assert (cache / "tiny" / "tiny.txt").read_bytes() == CONTENT


def test_an_interrupted_download_leaves_nothing(server, cache: Path):
    def broken(request: BaseHTTPRequestHandler) -> None:
        request.send_response(200)
        request.send_header("Content-Length", str(len(CONTENT)))
        request.end_headers()
        request.wfile.write(CONTENT[:5_000])

    server.pages = {"/broken": broken}
    urls = f"{server.address}/broken", f"{server.address}/gone"
    with pytest.raises(InputError, match=r"broken: ChunkedEncodingError; .*gone: answered 404"):
        fetch(dataset_of(file_at(*urls)))
    assert files_in(cache / "tiny") == []


def test_without_a_network_the_message_says_what_to_do(cache: Path, monkeypatch):
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        nobody = f"http://127.0.0.1:{taken.getsockname()[1]}/isolet5.data"
        files = tuple(replace(f, mirrors=(Mirror(nobody),)) for f in CATALOGUE["isolet"].files)
        with pytest.raises(InputError) as caught:
            load(replace(CATALOGUE["isolet"], files=files))
    message = str(caught.value)
    for part in ("`ipcae data get isolet`", "isolet5.data", str(cache / "isolet"), nobody):
        assert part in message
    assert files_in(cache / "isolet") == []


def test_a_cache_that_cannot_be_written_is_named(server, cache: Path):
    cache.write_text("a file where the folder should be")
    with pytest.raises(InputError, match="set IPCAE_CACHE"):
        fetch(dataset_of(file_at(f"{server.address}/good")))
