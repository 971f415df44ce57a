"""The package builds, and its description passes twine's checks."""

import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    folder = tmp_path_factory.mktemp("dist")
    command = [sys.executable, "-m", "build", "--no-isolation", "--outdir", str(folder), str(ROOT)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return folder


def test_the_description_passes_the_checks(built):
    files = [str(path) for path in built.iterdir()]
    assert len(files) == 2
    command = [sys.executable, "-m", "twine", "check", "--strict", *files]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_wheel_has_every_file_of_the_package_and_no_other(built):
    (wheel,) = built.glob("*.whl")
    names = {name for name in zipfile.ZipFile(wheel).namelist() if ".dist-info/" not in name}
    listed = subprocess.run(
        ["git", "-C", str(ROOT), "ls-files", "src"], capture_output=True, text=True, check=False
    )
    if listed.returncode:
        pytest.skip("needs a clone")
    assert names == {name.removeprefix("src/") for name in listed.stdout.split()}
    assert "ipcae/py.typed" in names


def test_sources_without_git_and_without_installation_have_the_same_version():
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    version = settings["tool"]["hatch"]["version"]["raw-options"]["fallback_version"]
    code = (ROOT / "src" / "ipcae" / "version.py").read_text(encoding="utf-8")
    assert f'    __version__ = "{version}"\n' in code
