"""Every example of the gallery runs as a notebook, and shows its results in it.

With few epochs, for time: ``make docs`` runs them as they are.
"""

import re
from importlib.util import find_spec

import pytest

pytest.importorskip("nbclient", reason="needs the extra dev")
pytest.importorskip("sphinx_gallery", reason="needs the extra docs")

import nbformat
from jupyter_client.manager import start_new_kernel

from docs.notebooks import EXAMPLES, execute, notebook_of

# Readers see warnings in the notebook: of ipcae there are to be none.
FRESH = """%reset -f
import warnings

import ipcae

warnings.simplefilter("error", ipcae.TrainingWarning)"""

# They compare several selectors and show none of them.
NO_SELECTOR = ("plot_3_sensors", "plot_4_channels", "plot_7_why_indirect")


@pytest.fixture(scope="session")
def kernel():
    """One kernel for all notebooks: to import PyTorch takes seconds."""
    manager, client = start_new_kernel(kernel_name="python3")
    client.stop_channels()
    yield manager
    manager.shutdown_kernel(now=True)


def shortened(notebook):
    for cell in notebook.cells:
        cell.source = re.sub(r"(max_epochs\W+)\d+", r"\g<1>4", cell.source)
    return notebook


def run_and_list_outputs(notebook, folder, kernel):
    notebook.cells.insert(0, nbformat.v4.new_code_cell(FRESH))
    cells = [cell for cell in execute(notebook, folder, kernel).cells if cell.cell_type == "code"]
    return [output for cell in cells for output in cell.outputs]


def shown(outputs, kind):
    return [output.data[kind] for output in outputs if kind in output.get("data", {})]


@pytest.mark.slow
@pytest.mark.parametrize("example", EXAMPLES, ids=lambda path: path.stem)
def test_an_example_runs_as_a_notebook(example, tmp_path, kernel):
    if example.stem == "plot_6_genes" and not (find_spec("anndata") and find_spec("scanpy")):
        pytest.skip("needs anndata, and a file of scanpy")
    outputs = run_and_list_outputs(shortened(notebook_of(example)), tmp_path, kernel)
    assert shown(outputs, "image/png")
    assert "selected feature" in str(shown(outputs, "text/html")) or example.stem in NO_SELECTOR


def test_there_is_a_story_for_every_user():
    stories = {path.stem.split("_", 2)[2] for path in EXAMPLES}
    assert stories >= {"pixels", "questionnaire", "sensors", "channels", "survival", "genes"}


FIT = """import numpy as np

from ipcae import RegressionSelector
from ipcae.plots import SelectionDisplay

X = np.random.default_rng(0).normal(size=(80, 4))
settings = {"method": "shortlist", "max_epochs": 20, "random_state": 0, "verbose": 1}
selector = RegressionSelector(2, **settings).fit(X, X[:, 1] + X[:, 3])
SelectionDisplay.from_estimator(selector)
selector"""


def test_a_notebook_shows_a_progress_bar_the_features_and_displays(tmp_path, kernel):
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(FIT)])
    outputs = run_and_list_outputs(notebook, tmp_path, kernel)
    assert [output.output_type for output in outputs] == [
        "display_data",
        "execute_result",
        "display_data",
    ]  # no line on standard error
    bar, features = shown(outputs, "text/html")
    assert re.search("ranking.*selecting.*20/20.*fine-tuning", bar)
    assert "…" not in bar
    assert features.split("selected feature")[1].count("<tr><td") == 2
    assert len(shown(outputs, "image/png")) == 1
