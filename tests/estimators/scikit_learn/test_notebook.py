"""What a notebook shows of a selector."""

import numpy as np
import pytest

from ipcae import ClassificationSelector, SelectorCV


@pytest.fixture(scope="module")
def table():
    random = np.random.default_rng(0)
    X = random.normal(size=(80, 5))
    return X, X[:, 1] + X[:, 3] > 0


def test_a_fitted_selector_lists_its_features_with_bars(table):
    selector = ClassificationSelector(2, max_epochs=5, random_state=0).fit(*table)
    html = selector._repr_html_()
    assert html.count("<tr><td") == 2
    assert all(name in html for name in selector.get_feature_names_out())
    assert "width: 12.00em" in html
    assert "ClassificationSelector" in html  # scikit-learn's diagram
    assert "selected feature" in selector._repr_mimebundle_()["text/html"]


def test_an_unfitted_selector_shows_the_diagram_only():
    assert "selected feature" not in ClassificationSelector(2)._repr_html_()


@pytest.mark.parametrize("settings", [{}, {"method": "auto"}, {"method": "anova"}])
def test_an_unfitted_selector_can_be_completed_with_the_tab_key(settings):
    names = dir(ClassificationSelector(2, **settings))
    assert "fit" in names
    assert "ranking_" not in names


def test_names_are_text(table):
    pandas = pytest.importorskip("pandas")
    X = pandas.DataFrame(table[0], columns=["a", "<b>bold</b>", "c", "d", "e"])
    selector = ClassificationSelector(
        1, include="<b>bold</b>", method="anova", max_epochs=1, random_state=0
    )
    html = selector.fit(X, table[1])._repr_html_()
    assert "&lt;b&gt;bold" in html
    assert "<b>bold" not in html.split("selected feature")[1]


@pytest.mark.parametrize("method", [None, "anova"])
def test_a_cross_validated_selector_lists_them_too(table, method):
    selector = ClassificationSelector(method=method, max_epochs=1, random_state=0)
    search = SelectorCV(selector, n_features_to_select=[1, 2], cv=2).fit(*table)
    assert "selected feature" in search._repr_html_()
