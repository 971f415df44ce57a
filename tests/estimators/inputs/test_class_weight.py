"""Class weights are sample weights by class."""

import numpy as np
import pytest
import torch
from sklearn.base import clone
from sklearn.metrics import balanced_accuracy_score
from sklearn.utils import compute_sample_weight

from ipcae import ClassificationSelector, InputError, load

QUICK = {"max_epochs": 12, "decoder": (16,), "learning_rate": 0.01, "random_state": 0}


@pytest.fixture(scope="module")
def rare():
    random = np.random.default_rng(0)
    X = random.normal(size=(300, 5))
    return X, np.where(X[:, 0] + random.normal(size=300) > 1.9, "rare", "common")


def test_balanced_equals_the_sample_weights_of_scikit_learn(rare):
    X, y = rare
    weighted = ClassificationSelector(2, class_weight="balanced", **QUICK).fit(X, y)
    by_hand = ClassificationSelector(2, **QUICK)
    by_hand.fit(X, y, sample_weight=compute_sample_weight("balanced", y))
    for name, tensor in weighted.params_.items():
        assert torch.equal(tensor, by_hand.params_[name])
    frequency = {label: len(y) / (2 * (y == label).sum()) for label in np.unique(y)}
    as_dict = ClassificationSelector(2, class_weight=frequency, **QUICK).fit(X, y)
    np.testing.assert_allclose(as_dict.predict_proba(X), weighted.predict_proba(X), rtol=1e-4)


def test_rare_classes_are_found_more_often(rare, tmp_path):
    X, y = rare
    plain = ClassificationSelector(2, **QUICK).fit(X, y)
    weighted = clone(plain).set_params(class_weight="balanced").fit(X, y)
    scores = [balanced_accuracy_score(y, s.predict(X)) for s in (plain, weighted)]
    assert scores[1] > scores[0] + 0.05
    weighted.save(tmp_path / "weighted.safetensors")
    again = load(tmp_path / "weighted.safetensors")
    assert again.class_weight == "balanced"
    assert again.task_.score == "roc_auc"


@pytest.mark.parametrize("bad", ["no", {"rare": -1}, {"nobody": 1}, 3, {"rare": 0, "common": 0}])
def test_invalid_class_weights_raise_an_error(rare, bad):
    with pytest.raises(InputError, match=r"class_weight=.* is not understood: expected"):
        ClassificationSelector(2, class_weight=bad, **QUICK).fit(*rare)


def test_labels_have_no_classes_to_weight(rare):
    with pytest.raises(InputError, match="pass sample_weight instead"):
        ClassificationSelector(2, class_weight="balanced").fit(
            rare[0], np.tri(2, dtype=int)[[0, 1] * 150]
        )
