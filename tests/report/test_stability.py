import numpy as np
import pandas as pd

from ipcae import ClassificationSelector, StabilitySelection


def test_the_report_of_a_stability_selection_has_the_frequency_of_every_feature(tmp_path):
    X = pd.DataFrame(np.random.default_rng(0).normal(size=(80, 6)), columns=list("abcdef"))
    y = np.where(X["b"] > 0, "high", "low")
    selector = ClassificationSelector(2, method="anova", max_epochs=2, random_state=0)
    stability = StabilitySelection(selector, n_subsamples=10).fit(X, y)
    page = stability.report(tmp_path / "stable.html").read_text(encoding="utf-8")
    section = page[page.index('<section id="stability"') :]
    section = section[: section.index("</section>")]
    assert str(stability.stability_) in section
    assert '<th scope="row">b</th><td>100\u00a0%</td><td>selected</td>' in section
    assert "in 10 subsamples" in section
