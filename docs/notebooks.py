"""Turn the examples of the gallery into notebooks and run them: ``make notebooks``.

The notebooks are those that the pages of the gallery offer for download.
"""

from __future__ import annotations

import copy
import json
import os
import sys
from pathlib import Path
from typing import Any

import nbformat
from nbclient import NotebookClient
from sphinx_gallery.gen_gallery import DEFAULT_GALLERY_CONF
from sphinx_gallery.notebook import jupyter_notebook
from sphinx_gallery.py_source_parser import split_code_and_text_blocks

ROOT = Path(__file__).resolve().parents[1]
EXAMPLES = sorted((ROOT / "examples").glob("plot_*.py"))
SECONDS = 600


def notebook_of(example: Path) -> Any:
    """Return the notebook of an example, not run yet."""
    _, blocks = split_code_and_text_blocks(example)
    settings = copy.deepcopy(DEFAULT_GALLERY_CONF)
    cells = jupyter_notebook(blocks, settings, str(example.parent))
    return nbformat.reads(json.dumps(cells), as_version=4)


def execute(notebook: Any, folder: Path, kernel: Any = None) -> Any:
    """Run a notebook in a folder, in a new kernel or a given one, and return it.

    Raises
    ------
    nbclient.exceptions.CellExecutionError
        If a cell raises.
    """
    resources = {"metadata": {"path": str(folder)}}
    client = NotebookClient(notebook, timeout=SECONDS, km=kernel, resources=resources)
    try:
        return client.execute()
    finally:
        if kernel is not None:  # its owner shuts it down, but does not know this client
            client.kc.stop_channels()


def main(out: Path) -> None:
    """Write every example as a notebook with its outputs."""
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    out.mkdir(parents=True, exist_ok=True)
    for example in EXAMPLES:
        path = out / f"{example.stem}.ipynb"
        nbformat.write(execute(notebook_of(example), out), path)
        print(path)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
