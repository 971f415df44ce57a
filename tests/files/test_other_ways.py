"""Pickle, joblib and skops, as users of scikit-learn know them."""

import copy
import pickle

import joblib
import numpy as np
import pytest

from ipcae import Concrete, Full, Gjsd, Mlp

PARTS = {
    "method": Concrete(Full(size=4), regularizer=Gjsd(0.1)),
    "decoder": Mlp((4, 4), dropout=0.1),
    "n_runs": 2,
}


def through_joblib(selector, folder):
    joblib.dump(selector, folder / "selector.joblib", compress=3)
    return joblib.load(folder / "selector.joblib")


def through_skops(selector, folder):
    skops = pytest.importorskip("skops.io")
    path = folder / "selector.skops"
    skops.dump(selector, path)
    trusted = skops.get_untrusted_types(file=path)
    # A person who reads the list sees classes of ipcae and nothing else.
    assert all(name.startswith("ipcae.") for name in trusted), trusted
    return skops.load(path, trusted=trusted)


WAYS = [
    pytest.param(lambda selector, folder: pickle.loads(pickle.dumps(selector)), id="pickle"),
    pytest.param(lambda selector, folder: copy.deepcopy(selector), id="deepcopy"),
    pytest.param(through_joblib, id="joblib"),
    pytest.param(through_skops, id="skops"),
]


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("target", ["texts", "object texts", "several labels", "number", "none"])
def test_a_copy_holds_and_answers_the_same(fitted, alike, frame, tmp_path, way, target):
    selector = fitted(target, frame, **PARTS)
    alike(way(selector, tmp_path), selector)


@pytest.mark.parametrize("way", WAYS)
def test_an_unfitted_copy_has_the_same_parameters(fitted, tmp_path, way):
    selector = type(fitted("number"))(3, **PARTS)
    assert way(selector, tmp_path).get_params() == selector.get_params()


@pytest.mark.parametrize("way", WAYS)
def test_a_copy_knows_the_levels_of_categories(fitted, frame, tmp_path, way):
    mixed = frame.assign(city=["Oslo", "Lima", None] * 20)
    selector = fitted("texts", mixed, n_features_to_select=7, missing="impute")
    copied = way(selector, tmp_path)
    assert copied.encoding_.codings == selector.encoding_.codings
    np.testing.assert_array_equal(copied.predict_proba(mixed), selector.predict_proba(mixed))
