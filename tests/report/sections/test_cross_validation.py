"""The scores of a cross-validation in a report."""

import numpy as np

from ipcae import ClassificationSelector, SelectorCV
from ipcae.evaluation.folds import split_scores, standard_errors
from ipcae.report import report_html
from ipcae.report.charts.line_chart import Line, LineChart


def test_the_scores_by_number_of_features_are_drawn_with_error_bars():
    X = np.random.default_rng(0).normal(size=(90, 8))
    y = np.where(X[:, 0] + X[:, 1] > 0, "a", "b")
    selector = ClassificationSelector(method="anova", max_epochs=4, decoder=(8,), random_state=0)
    search = SelectorCV(selector, n_features_to_select=[1, 2, 4], cv=3).fit(X, y)
    page = report_html(search.selector_)
    section = page[page.index('id="cross-validation"') :]
    section = section[: section.index("</section>")]
    assert section.count('class="error first"') == 3
    assert f"{search.n_features_} (chosen)" in section
    assert "Mean over 3 folds" in section
    errors = standard_errors(split_scores(search.cv_results_))
    assert f"±\u00a0{100 * errors[0]:.1f}\u00a0%" in section
    assert "accuracy (%)" in section
    assert ">chosen</text>" in section


def test_error_bars_are_inside_the_axis():
    line = Line(
        "score",
        {1.0: 0.5, 2.0: 0.7},
        "first",
        intervals={1.0: (0.2, 0.8), 2.0: (float("nan"), 1.0)},
    )
    chart = LineChart("score", "n", [line])
    assert chart.y.low < 0.2
    assert chart.y.high > 0.7
    ((x, low, high),) = chart.bars(line)
    assert x == chart.x.place(1)
    assert low > high  # pixels grow downward
