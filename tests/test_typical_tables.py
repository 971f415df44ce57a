"""The benchmark of typical tables survives a method that does not finish, and writes its table."""

import sys
from pathlib import Path

import pytest

sys.path.append(str(Path(__file__).parents[1] / "benchmarks"))
typical = pytest.importorskip("typical")

ROWS = {
    ("150 x 13", "ipcae"): {"seconds": "1.2", "accuracy": "0.95"},
    ("150 x 13", "mrmr"): {"seconds": "0.3", "accuracy": "0.95"},
    ("150 x 13", "boruta"): {"seconds": "more than 60", "accuracy": ""},
}


def test_the_page_says_where_the_defaults_are_not_on_the_front():
    text = "\n".join(typical.lines(ROWS))
    assert "| ipcae | 1.2 s, 95.0 % |" in text
    assert "| mrmr | **0.3 s, 95.0 %** |" in text
    assert "| boruta | more than 60 s |" in text
    assert "not on the Pareto front of 150 x 13." in text


def test_a_method_that_does_not_end_is_a_result(monkeypatch):
    monkeypatch.setattr(typical, "LOADING", 0)
    assert typical.measured("150 x 13", "boruta", 0.5) == {"seconds": "more than 0.5"}
