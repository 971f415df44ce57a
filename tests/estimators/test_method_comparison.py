"""``method="auto"`` compares methods on the user's rows."""

import numpy as np
import pytest
from sklearn.base import clone

from ipcae import (
    ClassificationSelector,
    InputError,
    ReconstructionSelector,
    RegressionSelector,
    SelectorCV,
    load,
)
from ipcae.estimators import method_comparison
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


def test_a_cross_validation_needs_a_named_method(X, classes):
    with pytest.raises(InputError, match='method="auto" compares methods in fit of a selector'):
        SelectorCV(ClassificationSelector(method="auto")).fit(X, classes)
