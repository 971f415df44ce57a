"""The section of a report about subsamples of the rows."""

import numpy as np
import pandas as pd
import pytest

from ipcae import ClassificationSelector, InputError, StabilitySelection, load
from ipcae.report import report_html

X = pd.DataFrame(np.random.default_rng(0).normal(size=(80, 6)), columns=list("abcdef"))
X["copy"] = X["b"] + 0.1 * X["c"]
Y = np.where(X["b"] > 0, "high", "low")


@pytest.fixture(scope="module")
def stability():
    selector = ClassificationSelector(3, method="anova", max_epochs=2, random_state=0)
    return StabilitySelection(selector, n_subsamples=10).fit(X, Y)


def section_of(page):
    section = page[page.index('<section id="stability"') :]
    return section[: section.index("</section>")]


def test_the_report_has_the_frequency_of_every_feature(stability, tmp_path):
    page = stability.report(tmp_path / "stable.html").read_text(encoding="utf-8")
    section = section_of(page)
    assert stability.rows_.sentence in section
    assert 'b</th><td style="--bar:1.000">100.0\u00a0%</td><td>stable</td>' in section
    assert "from 10 subsamples" in section
    assert "b, copy</th><td>2</td><td>b, copy</td>" in section  # they replace each other
    assert "They are the consensus" in section
    assert 'id="constraints"' not in page


def test_a_saved_selector_keeps_the_section(stability, tmp_path):
    stability.save(tmp_path / "model.safetensors")
    page = report_html(load(tmp_path / "model.safetensors"))
    assert section_of(page) == section_of(report_html(stability.selector_))


def test_another_selection_is_compared_with_the_consensus(stability):
    other = ClassificationSelector(3, include=["d", "e", "f"], max_epochs=1, random_state=0)
    section = section_of(report_html(other.fit(X, Y), stability=stability))
    assert "<td>stable, consensus</td>" in section
    assert "Of the 3 features in this report, 0 are stable" in section


def test_stability_of_other_columns_is_refused(stability):
    other = ClassificationSelector(1, max_epochs=1, random_state=0).fit(X[["a", "b"]], Y)
    with pytest.raises(InputError, match="stability has 7 features, but the selector has 2"):
        report_html(other, stability=stability)
