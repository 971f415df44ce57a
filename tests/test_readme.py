"""The code and the commands of the README and of the first pages of the guide run, in order."""

import contextlib
import re
import subprocess
import sys
from pathlib import Path

import pandas as pd
import pytest
from matplotlib import pyplot

from tests.pages import run_page

ROOT = Path(__file__).resolve().parents[1]
# Done before the tests run, in tests/cli/test_demo.py, or not by tests.
ELSEWHERE = ("pip install", "make ", "docker ", "ipcae demo")


def run_blocks(page, folder):
    """Run the code and the commands of a page in order, and return the names of the code."""
    with contextlib.chdir(folder):
        namespace = run_page(ROOT / page, run_command)
    pyplot.close("all")
    return namespace


def run_command(command):
    if " ".join(command).startswith(ELSEWHERE):
        return
    program, *arguments = command
    assert program == "ipcae"
    entry = "import sys; from ipcae.cli import main; sys.exit(main())"
    subprocess.run([sys.executable, "-c", entry, *arguments], check=True)


@pytest.mark.slow
def test_the_readme(tmp_path):
    names = run_blocks("README.md", tmp_path)
    assert len(names["selector"].get_feature_names_out()) == 4
    assert (tmp_path / "panel" / "report.html").stat().st_size > 10_000
    selected = (tmp_path / "panel" / "selected.txt").read_text().split()
    assert all(name in (ROOT / "README.md").read_text(encoding="utf-8") for name in selected)


def test_the_figures_of_the_readme_are_those_of_the_pages():
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    figures = re.findall(r"\[([^]]*(?:of twelve| %|seconds)[^]]*)\]\((docs/\w+\.md)\)", readme)
    assert [page for _, page in figures] == ["docs/defaults.md", "docs/chance.md", "docs/speed.md"]
    (twelve, _), (rate, _), (seconds, _) = figures
    first, last = re.findall(r"[\d.]+", seconds)
    assert twelve.removesuffix(" results") in page_text("defaults")
    measured = re.search(r"In ([\d.]+ %) of (\d+) tables of noise", page_text("chance"))
    assert rate == measured[1]
    assert f"of {measured[2]} tables of pure noise" in " ".join(readme.split())
    assert f"In {measured[2]} tables of noise, {rate}" in page_text("how-to/trust")
    (agreeing,) = re.findall(r"\[(\d+ of \d+ results)\]\(paper/README.md\)", readme)
    assert agreeing in (ROOT / "paper" / "README.md").read_text(encoding="utf-8")
    times = re.search(r"take ([\d.]+) to ([\d.]+) seconds for 200 epochs", page_text("speed"))
    assert [f"{float(time):.1f}" for time in times.groups()] == [first, last]


def page_text(name):
    return (ROOT / "docs" / f"{name}.md").read_text(encoding="utf-8")


def test_the_results_in_how_it_works_are_those_of_the_paper_s_table():
    rows = pd.read_csv(ROOT / "paper" / "results" / "table-2.csv")
    rows = rows[(rows["dataset"] == "isolet") & (rows["setting"] == "k=50 epochs=200")]
    means = rows.groupby(["method", "metric"])["value"].mean()
    metrics = "unique_percentage", "test_accuracy"
    cae, ip = ([f"{means[method, each]:.1f}" for each in metrics] for method in ("cae", "ip-cae"))
    text = " ".join(page_text("guide/idea").split())
    assert f"selects {cae[0]} % distinct features and reaches {cae[1]} % accuracy" in text
    assert f"IP-CAE {ip[0]} % and {ip[1]} % (means of ten runs" in text


@pytest.mark.slow
def test_getting_started(tmp_path):
    names = run_blocks("docs/getting-started.md", tmp_path)
    selected = (tmp_path / "panel" / "selected.txt").read_text().splitlines()
    assert len(selected) == 4
    assert all(name in page_text("getting-started") for name in selected)
    assert len(pd.read_csv(tmp_path / "predictions.csv")) == 45
    assert names["selector"].score(names["X_test"], names["y_test"]) > 0.9
    assert (tmp_path / "wine.png").stat().st_size > 0


@pytest.mark.slow
def test_saving_time_and_memory(tmp_path):
    names = run_blocks("docs/how-to/speed-and-memory.md", tmp_path)
    assert str(names["estimate"]).startswith("35.2 GB on cpu: rows 31.5 GB, parameters 231 MB, ")
    text = page_text("how-to/speed-and-memory")
    cores, gpu = re.search(
        r"was\s+\[(.+) times as fast on two cores and (.+) times on a GPU", text
    ).groups()
    times = rf"is {cores} times as fast as `GridSearchCV` on two cores, and {gpu} times on a GPU"
    assert times in page_text("speed")


def test_the_first_page(tmp_path):
    names = run_blocks("docs/index.md", tmp_path)
    assert len(names["selector"].get_feature_names_out()) == 4


@pytest.mark.slow
def test_the_guide_to_python(tmp_path):
    names = run_blocks("docs/guide/python.md", tmp_path)
    assert len(names["selector"].get_feature_names_out()) == 4
    assert {path.name for path in tmp_path.iterdir()} == {"logs", "panel.html", "panel.safetensors"}


@pytest.fixture(scope="module")
def deployed(tmp_path_factory):
    """Run the guide to deployment; return its folder and the names of its code."""
    folder = tmp_path_factory.mktemp("deployment")
    return folder, run_blocks("docs/guide/deployment.md", folder)


def test_the_guide_to_deployment(deployed):
    predictions = pd.read_csv(deployed[0] / "predictions.csv")["prediction"].astype(str)
    assert len(predictions) == 3


def test_an_exported_model_needs_neither_ipcae_nor_pytorch(deployed):
    folder, names = deployed
    code = """
import sys; sys.modules["ipcae"] = sys.modules["torch"] = None
import json, onnxruntime, pandas
session = onnxruntime.InferenceSession("wine.onnx")
columns = json.loads(session.get_modelmeta().custom_metadata_map["input_names"])
labels, _ = session.run(None, {"X": pandas.read_csv("new.csv")[columns].to_numpy("float32")})
print(*labels)
"""
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=folder
    )
    expected = names["selector"].predict(names["new"])
    assert done.stdout.split() == [str(label) for label in expected]
