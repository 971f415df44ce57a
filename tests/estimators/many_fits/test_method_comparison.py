"""``method="auto"`` compares methods on the user's rows."""

import numpy as np
import pytest
from sklearn.base import clone

from ipcae import (
    ClassificationSelector,
    ReconstructionSelector,
    RegressionSelector,
    SelectorCV,
    load,
)
from ipcae.estimators.many_fits import method_comparison
from ipcae.selectors import METHODS

FAST = {"max_epochs": 8, "decoder": (8,), "learning_rate": 1e-2, "random_state": 0}


@pytest.fixture
def few(monkeypatch):
    """Compare three cheap methods and a network."""
    names = ("anova", "lasso", "elimination", "pivoted-qr", "ip-cae")
    monkeypatch.setattr(method_comparison, "CANDIDATES", names)


@pytest.mark.usefixtures("few")
def test_the_best_method_is_used(X, classes, tmp_path):
    selector = ClassificationSelector(2, method="auto", **FAST).fit(X, classes)
    table = selector.comparison_
    assert table["method"].tolist() == ["anova", "elimination", "ip-cae"]
    assert table["compared"].all()
    assert (table["seconds"] > 0).all()
    best = table["method"][table["mean_test_score"].argmax()]
    assert selector.method_ == best == table["method"][table["chosen"]].item()
    alone = clone(selector).set_params(method=str(best)).fit(X, classes)
    np.testing.assert_array_equal(selector.predict_proba(X), alone.predict_proba(X))
    selector.save(tmp_path / "model.safetensors")
    again = load(tmp_path / "model.safetensors")
    assert again.method_ == best
    np.testing.assert_array_equal(again.comparison_["seconds"], table["seconds"])


@pytest.mark.usefixtures("few")
def test_expensive_methods_are_skipped_if_a_cheap_one_is_perfect(capsys):
    X = np.random.default_rng(0).normal(size=(120, 4))
    y = (X[:, 2] > 0).astype(int)
    X[:, 2] += 4 * y
    settings = FAST | {"max_epochs": 30}
    selector = ClassificationSelector(1, method="auto", verbose=1, **settings).fit(X, y)
    assert selector.comparison_["compared"].tolist() == [True, False, False]
    assert selector.method_ == "anova"
    said = capsys.readouterr().err
    assert "anova is the best of 1 methods" in said
    assert "elimination, ip-cae were skipped" in said


@pytest.mark.usefixtures("few")
def test_other_tasks(X, values):
    regression = RegressionSelector(2, method="auto", **FAST).fit(X, values)
    assert regression.comparison_["method"].tolist() == ["anova", "lasso", "elimination", "ip-cae"]
    reconstruction = ReconstructionSelector(2, method="auto", **FAST).fit(X)
    assert reconstruction.comparison_["method"].tolist() == ["pivoted-qr", "ip-cae"]


def test_every_candidate_is_a_method():
    assert set(method_comparison.CANDIDATES) <= set(METHODS)


@pytest.mark.usefixtures("few")
def test_numbers_of_features_and_methods_are_compared_by_the_same_folds(X, classes, tmp_path):
    auto = ClassificationSelector(method="auto", **FAST)
    options = {"n_features_to_select": [1, 3], "cv": 3, "scoring": "neg_log_loss"}
    search = SelectorCV(auto, **options).fit(X, classes)
    alone = {
        name: SelectorCV(clone(auto).set_params(method=name), **options, refit=False)
        .fit(X, classes)
        .cv_results_
        for name in ("anova", "elimination", "ip-cae")
    }
    scores = np.stack([results["mean_test_score"] for results in alone.values()])
    np.testing.assert_array_equal(search.cv_results_["mean_test_score"], scores.max(0))
    names = [list(alone)[i] for i in scores.argmax(0)]
    assert search.cv_results_["method"].tolist() == names
    assert sorted(search.cv_results_["rank_test_score"]) == [1, 2]
    chosen = search.selector_
    assert chosen.method_ == names[search.best_index_]
    assert chosen.method_reason_ == "it was the best of those compared"
    table = chosen.comparison_
    np.testing.assert_array_equal(table["mean_test_score"], scores[:, search.best_index_])
    assert table["method"][table["chosen"]].tolist() == [chosen.method_]
    search.save(tmp_path / "model.safetensors")
    again = load(tmp_path / "model.safetensors")
    assert again.cv_results_["method"].tolist() == names


@pytest.mark.usefixtures("few")
def test_no_more_methods_are_compared_if_one_feature_is_perfect():
    X = np.random.default_rng(0).normal(size=(120, 4))
    y = (X[:, 2] > 0).astype(int)
    X[:, 2] += 4 * y
    auto = ClassificationSelector(method="auto", **FAST | {"max_epochs": 30})
    search = SelectorCV(auto, n_features_to_select=[1, 2], cv=3).fit(X, y)
    assert search.n_features_ == 1
    assert search.selector_.comparison_["compared"].tolist() == [True, False, False]
