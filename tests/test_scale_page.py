"""The numbers in docs/scale.md come from measured rows."""

from pathlib import Path

import numpy as np
import pytest

ROOT = Path(__file__).parents[1]
PAGE = (ROOT / "docs" / "scale.md").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def cost():
    """Import the script, whose folder is not a package."""
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(ROOT / "benchmarks")
        import cost_model
    return cost_model


@pytest.fixture(scope="module")
def fitted(cost):
    known, held = cost.split()
    return cost.CostModel.fit(known), known, held


@pytest.mark.parametrize("table", ["weight_table", "held_out_table", "column_table", "row_table"])
def test_every_table_is_computed_from_the_rows(cost, fitted, table):
    model, _, held = fitted
    lines = getattr(cost, table)(*(model, held) if table == "held_out_table" else (model,))
    assert len(lines) > 4
    assert "\n".join(lines) in PAGE


def test_the_figures_of_the_text_are_computed_from_the_rows(cost, fitted):
    text = " ".join(PAGE.split())
    for sentence in cost.sentences(*fitted):
        assert " ".join(sentence.split()) in text


def test_the_model_predicts_rows_it_has_not_seen(fitted):
    model, known, held = fitted
    assert not {row.size for row in known} & {row.size for row in held if row.series == "features"}
    assert np.abs(model.errors(held)).max() < 0.15


def test_the_picture_of_the_page_exists():
    assert (ROOT / "docs" / "images" / "scale.png").exists()
