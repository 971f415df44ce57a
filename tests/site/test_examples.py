"""Every example of the gallery runs and draws a picture."""

import runpy
from pathlib import Path

import pytest
from matplotlib import pyplot

EXAMPLES = sorted((Path(__file__).resolve().parents[2] / "examples").glob("plot_*.py"))


# Readers see warnings on the page: of ipcae there are to be none, and those of anndata are its own.
@pytest.mark.filterwarnings("default")
@pytest.mark.filterwarnings("error::ipcae.TrainingWarning")
@pytest.mark.slow
@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_an_example_runs_and_draws(path, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(pyplot, "show", lambda: None)
    if path.stem == "plot_6_genes":
        pytest.importorskip("anndata")
    runpy.run_path(str(path))
    figures = [pyplot.figure(number) for number in pyplot.get_fignums()]
    assert figures
    assert all(figure.axes for figure in figures)
    pyplot.close("all")


def test_there_is_a_story_for_every_user():
    stories = {path.stem.split("_", 2)[2] for path in EXAMPLES}
    assert stories >= {"pixels", "questionnaire", "sensors", "channels", "survival", "genes"}
