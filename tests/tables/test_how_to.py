"""The code and the commands of the how-to page run, and do what the page says."""

import re
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from tests.pages import HOW_TO, run_in_process, run_page


def test_the_page_runs_from_the_file_to_the_predictions(tmp_path, monkeypatch, capsys):
    pytest.importorskip("onnxruntime")
    monkeypatch.chdir(tmp_path)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        names = run_page(HOW_TO / "tables.md", run_in_process)
    said = {str(warning.message) for warning in caught}
    assert len(said) == 1
    assert "3 of 8 columns of X are left out (respondent: all 300 values differ" in said.pop()
    selector, new = names["selector"], names["new"]
    assert selector.get_feature_names_out().tolist() == ["sleep", "city"]
    assert selector.score(names["X"][300:], names["y"][300:]) > 0.7
    np.testing.assert_array_equal(names["labels"], selector.predict(new))
    np.testing.assert_allclose(names["probabilities"], selector.predict_proba(new), atol=1e-5)
    printed = capsys.readouterr().out
    assert re.search(
        r"^city category \d+ 4 levels, and missing: Kyiv, Köln, Lima, Oslo$", printed, re.M
    )
    assert set(Path("panel/selected.txt").read_text().split()) == {"city", "sleep"}
    predictions = pd.read_csv("predictions.csv")
    assert list(predictions) == ["respondent", "prediction"]
    assert (predictions["prediction"] == names["table"]["tired"]).mean() > 0.7
