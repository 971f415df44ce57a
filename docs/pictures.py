"""Redraw the pictures of the first pages: ``make pictures``.

``demo.png`` is the upper half of the picture of ``ipcae demo``, ``wine.png`` the picture of the
getting-started page, and ``why-indirect.png`` that of the example of the same name.
"""

from __future__ import annotations

import re
import runpy
import shutil
import sys
from contextlib import chdir
from pathlib import Path
from tempfile import TemporaryDirectory

import matplotlib

matplotlib.use("agg")

from matplotlib import pyplot
from PIL import Image

from ipcae.cli.demo import run_demo

DOCS = Path(__file__).resolve().parent


def draw_demo(folder: Path) -> None:
    """Run the demo and keep the pixels and the digits of its picture, without the curves."""
    run_demo(folder / "demo", quiet=True)
    with Image.open(folder / "demo" / "demo.png") as picture:
        picture.crop((0, 0, picture.width, round(0.535 * picture.height))).save(folder / "demo.png")


def draw_wine(folder: Path) -> None:
    """Run the code of the getting-started page, which saves its picture."""
    page = (DOCS / "getting-started.md").read_text(encoding="utf-8")
    code = re.findall(r"^```python\n(.*?)^```", page, flags=re.M | re.S)
    pyplot.figure(figsize=(6.4, 4.4), layout="constrained")
    with chdir(folder):
        exec(compile("\n".join(code), "getting-started.md", "exec"), {})


def draw_why_indirect(folder: Path) -> None:
    """Run the example and save its figure."""
    pyplot.close("all")
    runpy.run_path(str(DOCS.parent / "examples" / "plot_7_why_indirect.py"))
    pyplot.savefig(folder / "why-indirect.png", dpi=110)


PICTURES = {"demo": draw_demo, "wine": draw_wine, "why-indirect": draw_why_indirect}


if __name__ == "__main__":
    for name in sys.argv[1:] or PICTURES:
        with TemporaryDirectory() as temporary:
            PICTURES[name](Path(temporary))
            shutil.copy(Path(temporary) / f"{name}.png", DOCS / "images")
        print(DOCS / "images" / f"{name}.png")
