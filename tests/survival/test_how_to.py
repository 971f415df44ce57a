"""The how-to page about survival runs."""

from pathlib import Path

import numpy as np
import pytest

from tests.pages import HOW_TO, run_page


@pytest.fixture(scope="module")
def names(tmp_path_factory):
    """Run the blocks in order, and return the names after all of them."""
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(tmp_path_factory.mktemp("page"))
        names = run_page(HOW_TO / "survival.md")
        names["report"] = Path("biomarkers.html").read_text(encoding="utf-8")
    return names


def test_ten_biomarkers_are_better_than_chance(names):
    assert names["selector"].get_support().sum() == 10
    assert names["selector"].score(names["X_test"], names["y_test"]) > 0.55
    assert names["ranked"].get_support().sum() == 10


def test_survival_falls_with_the_years_and_the_risk(names):
    survival, risk = names["survival"], names["risk"]
    assert survival.shape == (50, 3)
    assert (np.diff(survival, axis=1) <= 0).all()
    assert np.corrcoef(survival[:, 1], risk)[0, 1] < -0.8


def test_the_report_shows_the_risk_groups(names):
    assert "Survival by predicted risk" in names["report"]


def test_the_forms_of_the_target_are_the_same(names):
    selector, X = names["selector"], names["X"]
    assert selector.score(X, names["frame"]) == selector.score(X, names["y"])
