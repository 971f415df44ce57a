"""The entries of the data set catalogue."""

import ast
import hashlib
import sys
from pathlib import Path
from urllib.parse import urlsplit

import pytest

import ipcae.data
from ipcae.data import CATALOGUE, fetch
from ipcae.data.catalogue import named
from ipcae.data.dataset import Dataset
from ipcae.data.locations import read
from ipcae.data.originals import PARSERS
from ipcae.data.split import PREPARATIONS
from ipcae.errors import InputError

every_dataset = pytest.mark.parametrize("dataset", CATALOGUE.values(), ids=CATALOGUE)


def test_the_papers_six_are_there_with_its_settings():
    settings = {d.name: (d.n_selected, d.batch_size) for d in CATALOGUE.values() if d.in_paper}
    assert settings == {
        "mnist": (50, 128),
        "fashion_mnist": (50, 128),
        "isolet": (50, 128),
        "coil20": (50, 16),
        "har": (50, 128),
        "mice_protein": (10, 16),
    }


def test_every_dataset_can_be_read_and_the_papers_can_be_split():
    assert PARSERS.keys() == CATALOGUE.keys()
    assert PREPARATIONS.keys() == {name for name, entry in CATALOGUE.items() if entry.in_paper}


@every_dataset
def test_every_file_has_several_mirrors_and_a_checksum(dataset: Dataset):
    for file in dataset.files:
        assert len({mirror.url for mirror in file.mirrors}) >= 2
        assert all(urlsplit(mirror.url).scheme in ("http", "https") for mirror in file.mirrors)
        assert len(bytes.fromhex(file.sha256)) == 32


@every_dataset
def test_pixels_fill_the_grid(dataset: Dataset):
    if dataset.grid is not None:
        assert dataset.grid[0] * dataset.grid[1] == dataset.n_features


@every_dataset
def test_the_original_files_have_the_checksums_and_sizes(dataset: Dataset, original_data: Path):
    places = fetch(dataset)
    assert all(path.is_relative_to(original_data / dataset.name) for path in places.values())
    assert all(len(read(dataset, file)) == file.size for file in dataset.files)


def test_checksums_agree_with_the_official_md5_of_mnist(original_data: Path):
    official = {
        "mnist/train-images-idx3-ubyte.gz": "f68b3c2dcbeaaa9fbdd348bbdeb94873",
        "mnist/t10k-labels-idx1-ubyte.gz": "ec29112dd5afa0611ce80d1b7f02629c",
        "fashion_mnist/train-images-idx3-ubyte.gz": "8d4fb7e6c68d591d4c3dfef9ec88bf0d",
        "fashion_mnist/t10k-labels-idx1-ubyte.gz": "bb300cfdad3c16e7a12a480ee83cd310",
    }
    for path, md5 in official.items():
        content = (original_data / path).read_bytes()
        assert hashlib.md5(content, usedforsecurity=False).hexdigest() == md5


def test_an_unknown_name_gets_a_suggestion():
    with pytest.raises(InputError, match="did you mean fashion_mnist"):
        named("fashionmnist")
    with pytest.raises(InputError, match="there are mnist, fashion_mnist, isolet"):
        named("iris")


def test_importing_data_needs_only_numpy():
    ours = {
        f"ipcae.{name}"
        for name in (
            *("arrays", "data", "errors"),
            *("filesystem", "optional", "quantities", "text"),
        )
    }
    allowed = {"numpy", *ours, *sys.stdlib_module_names}
    for path in Path(ipcae.data.__file__).parent.glob("*.py"):
        for statement in ast.parse(path.read_text(encoding="utf-8")).body:
            names = [alias.name for alias in getattr(statement, "names", [])]
            if isinstance(statement, ast.ImportFrom):
                names = [str(statement.module)]
            for name in names:
                first, second = (name + ".").split(".")[:2]
                assert {first, f"{first}.{second}"} & allowed, f"{path.name} imports {name}"
