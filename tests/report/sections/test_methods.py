"""The methods that ``method="auto"`` compared, in a report."""

import numpy as np

from ipcae import ClassificationSelector, chance_test


def test_a_selector_that_compared_methods_has_a_report_and_a_verdict(tmp_path):
    X = np.random.default_rng(0).normal(size=(60, 4))
    y = (X[:, 0] > 0).astype(int)
    X[:, 0] += 6 * y  # the first method is perfect, and the others are skipped
    quick = {"max_epochs": 25, "decoder": (8,), "learning_rate": 0.05, "random_state": 0}
    selector = ClassificationSelector(1, method="auto", n_runs=2, **quick).fit(X, y)
    page = selector.report(tmp_path / "auto.html", X, y).read_text(encoding="utf-8")
    section = page[page.index('<section id="methods"') :]
    section = section[: section.index("</section>")]
    assert f"{selector.method_} (used)" in section
    assert section.count('<th scope="row">') == selector.comparison_["compared"].sum()
    assert len(selector.other_seeds_) == 4
    assert chance_test(selector, X, y, cv=2).n_folds == 2
