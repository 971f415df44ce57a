"""Finding the files of a data set on this computer."""

import hashlib
import sys
from dataclasses import replace
from pathlib import Path

import pooch
import pytest

from ipcae.data import CATALOGUE, load
from ipcae.data.dataset import Dataset, File
from ipcae.data.locations import cache_folder, read, search_folders
from ipcae.errors import InputError

TINY = replace(
    CATALOGUE["isolet"],
    name="tiny",
    files=(File("tiny.txt", hashlib.sha256(b"tiny").hexdigest(), 4),),
)


def put(folder: Path, dataset: Dataset, content: bytes) -> Path:
    path = folder / dataset.name / dataset.files[0].path
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)
    return path


def test_own_data_come_before_the_cache(own_data: Path, cache: Path):
    assert [*search_folders(TINY)] == [own_data / "tiny", cache / "tiny"]
    put(own_data, TINY, b"tiny")
    put(cache, TINY, b"damaged")
    assert read(TINY, TINY.files[0]) == b"tiny"


def test_the_cache_is_used_where_own_data_are_missing(own_data: Path, cache: Path):
    put(cache, TINY, b"tiny")
    assert read(TINY, TINY.files[0]) == b"tiny"


def test_the_cache_is_the_users_cache_folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    monkeypatch.delenv("IPCAE_CACHE", raising=False)
    assert cache_folder() == pooch.os_cache("ipcae")
    if sys.platform == "linux":
        monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
        assert cache_folder() == tmp_path / "ipcae"
        monkeypatch.delenv("XDG_CACHE_HOME")
        assert cache_folder() == Path.home() / ".cache" / "ipcae"


@pytest.fixture
def no_pooch(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("IPCAE_CACHE", raising=False)
    monkeypatch.setitem(sys.modules, "pooch", None)


@pytest.mark.usefixtures("no_pooch")
def test_own_data_are_read_without_pooch(own_data: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.delenv("IPCAE_CACHE")
    put(own_data, TINY, b"tiny")
    assert read(TINY, TINY.files[0]) == b"tiny"


@pytest.mark.usefixtures("no_pooch")
def test_without_pooch_the_message_says_how_to_install_it(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.delenv("IPCAE_DATA", raising=False)
    with pytest.raises(ModuleNotFoundError, match=r"needs pooch: pip install 'ipcae\[data\]'"):
        read(TINY, TINY.files[0])


def test_another_content_is_refused_and_named(own_data: Path):
    path = put(own_data, TINY, b"tampered")
    with pytest.raises(InputError) as caught:
        read(TINY, TINY.files[0])
    assert str(path) in str(caught.value)
    assert TINY.files[0].sha256 in str(caught.value)
    assert "`ipcae data get tiny`" in str(caught.value)


def test_a_missing_dataset_says_which_files_where_and_what_to_do(own_data: Path, cache: Path):
    with pytest.raises(InputError) as caught:
        load("isolet", download=False)
    message = str(caught.value)
    for part in (
        "isolet1+2+3+4.data, isolet5.data",
        str(own_data / "isolet"),
        str(cache / "isolet"),
        "`ipcae data get isolet`",
        "IPCAE_DATA",
    ):
        assert part in message
    assert "\n" not in message
