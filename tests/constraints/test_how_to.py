"""The how-to page about constraints runs, from the files to the exported model."""

import re

import numpy as np
import pandas as pd
import pytest

from tests.pages import HOW_TO, run_in_process, run_page

COSTS = {"temperature": 9, "thermocouple": 2, "current": 4, "voltage": 1}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("page")


@pytest.fixture(scope="module")
def names(folder):
    """Run the blocks and the commands in order, and return the names after all of them."""

    def quickly(command):
        faster = ["--runs", "1", "--no-verdict", "--quiet"] if command[1] == "select" else []
        run_in_process([*command, *faster])

    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        return run_page(HOW_TO / "constraints.md", quickly)


def check(selected):
    assert set(selected) <= set(COSTS)
    assert "voltage" in selected
    assert not {"temperature", "thermocouple"} <= set(selected)
    assert sum(COSTS[name] for name in selected) <= 10


def test_the_command_line_stays_within_the_budget(names, folder):
    check((folder / "panel" / "selected.txt").read_text().split())
    assert len(pd.read_csv(folder / "predictions.csv")) == 400


def test_the_report_shows_what_was_paid(names, folder):
    page = (folder / "panel" / "report.html").read_text()
    for words in ("always selected", "never selected", "measured together", "at most 1 of"):
        assert words in page
    assert re.search(r"10 in total</td><td>\d+ paid", page)
    assert "Cost of the selected features" in page


def test_python_and_the_exported_model_agree(names, folder):
    onnxruntime = pytest.importorskip("onnxruntime")
    selector, X = names["selector"], names["X"]
    check(names["names"])
    assert names["paid"] == sum(COSTS[name] for name in names["names"])
    session = onnxruntime.InferenceSession(folder / "panel.onnx")
    chosen = X[list(names["names"])].to_numpy(dtype=np.float32)
    label, _ = session.run(None, {"X": chosen})
    assert np.mean(label == selector.predict(X)) > 0.99
    assert selector.score(X, names["y"]) > 0.7


def test_labels_become_limits(names):
    assert [(n, columns.tolist()) for n, columns in names["limits"]] == [
        (1, [0, 1]),
        (1, [2, 3, 4]),
    ]
