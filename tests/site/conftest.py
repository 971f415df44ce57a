"""The site, built once, with the examples' code but without running them."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="session")
def site(tmp_path_factory):
    """Return the folder of the pages. A warning fails the build."""
    pytest.importorskip("sphinx_gallery", reason="needs the extra docs")
    folder = tmp_path_factory.mktemp("site")
    command = [sys.executable, "-m", "sphinx", "-q", "-W", "--keep-going", "-b", "html"]
    command += ["-D", "plot_gallery=0", "-d", str(folder / "doctrees")]
    command += [str(copy_of_sources(folder)), str(folder / "html")]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return folder / "html"


def copy_of_sources(folder):
    """Copy what the site is made of, since Sphinx writes pages beside their sources."""
    import shutil

    leave_out = shutil.ignore_patterns("_build", "auto_examples", "generated", "sg_execution*")
    for name in ("docs", "examples", "benchmarks", "paper"):
        shutil.copytree(ROOT / name, folder / "source" / name, ignore=leave_out)
    for path in ROOT.glob("*.md"):
        shutil.copy(path, folder / "source")
    return folder / "source" / "docs"
