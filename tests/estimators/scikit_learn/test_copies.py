"""A selector survives being cloned, copied, pickled and stored."""

import copy
import pickle

import joblib
import numpy as np
import pytest
import torch
from sklearn.base import clone
from torch import nn

from ipcae import (
    ClassificationSelector,
    Concrete,
    Direct,
    Full,
    Gjsd,
    Mlp,
    ReconstructionSelector,
    RegressionSelector,
    paper_settings,
)
from ipcae.losses import Huber


def with_batch_norm(n_inputs, n_outputs):
    return nn.Sequential(nn.BatchNorm1d(n_inputs), nn.Dropout(0.1), nn.Linear(n_inputs, n_outputs))


CHOICES = {
    "defaults": {},
    "names": {"method": "cae", "decoder": "linear"},
    "objects": {
        "method": Concrete(Full(size=4), regularizer=Gjsd((0.1, 0.2))),
        "decoder": Mlp((4, 4), dropout=0.1),
        "loss": Huber(0.5),
        "n_runs": 2,
    },
    "functions": {"decoder": with_batch_norm},
    "paper": paper_settings("cae", batch_size=16, gjsd_weight=0.05),
}


@pytest.mark.parametrize("settings", CHOICES.values(), ids=CHOICES.keys())
@pytest.mark.parametrize(
    "kind", [ClassificationSelector, RegressionSelector, ReconstructionSelector]
)
def test_a_clone_has_equal_parameters(kind, settings):
    selector = kind(3, **settings)
    twin = clone(selector)
    assert twin is not selector
    assert twin.get_params() == selector.get_params()
    assert {name: twin.get_params()[name] for name in settings} == settings


def test_a_clone_is_not_fitted_and_repeats_the_fit(X, values, quick):
    method = Concrete(Direct(), regularizer=Gjsd(0.1))
    selector = RegressionSelector(2, **quick | {"method": method}).fit(X, values)
    twin = clone(selector)
    assert not hasattr(twin, "params_")
    np.testing.assert_array_equal(twin.fit(X, values).predict(X), selector.predict(X))


def test_fit_changes_no_parameter(X, values, quick):
    settings = quick | {"method": Concrete(Full(size=4)), "n_runs": 2, "learning_rate": [0.1, 0.2]}
    selector = RegressionSelector(0.5, **settings)
    before = copy.deepcopy(selector.get_params())
    assert selector.fit(X, values).get_params() == before


def through_joblib(selector, folder):
    joblib.dump(selector, folder / "selector.joblib")
    return joblib.load(folder / "selector.joblib")


WAYS = {
    "pickle": lambda selector, folder: pickle.loads(pickle.dumps(selector)),
    "joblib": through_joblib,
    "deepcopy": lambda selector, folder: copy.deepcopy(selector),
}


@pytest.mark.parametrize("way", WAYS.values(), ids=WAYS.keys())
@pytest.mark.parametrize("decoder", [(8,), "linear", with_batch_norm], ids=["mlp", "linear", "own"])
def test_a_copy_predicts_the_same(X, classes, quick, tmp_path, way, decoder):
    settings = quick | {"decoder": decoder, "n_runs": 2}
    selector = ClassificationSelector(2, **settings).fit(X, classes)
    twin = way(selector, tmp_path)
    for run in range(2):
        np.testing.assert_array_equal(
            twin.with_run(run).predict_proba(X), selector.with_run(run).predict_proba(X)
        )
    np.testing.assert_array_equal(twin.transform(X), selector.transform(X))
    np.testing.assert_array_equal(twin.ranking_, selector.ranking_)


@pytest.mark.parametrize("way", WAYS.values(), ids=WAYS.keys())
def test_a_copy_keeps_the_units(X, values, quick, tmp_path, way):
    regression = RegressionSelector(2, **quick).fit(X, 1e6 * values)
    reconstruction = ReconstructionSelector(2, **quick).fit(1e6 * X)
    np.testing.assert_array_equal(way(regression, tmp_path).predict(X), regression.predict(X))
    np.testing.assert_array_equal(
        way(reconstruction, tmp_path).reconstruct(X), reconstruction.reconstruct(X)
    )


def test_arrays_that_joblib_maps_into_memory_are_read_without_a_warning(X, values, quick, tmp_path):
    selector = RegressionSelector(2, **quick).fit(X, values)
    joblib.dump(selector, tmp_path / "selector.joblib")
    try:
        torch.set_warn_always(True)  # otherwise PyTorch warns of read-only arrays only once
        mapped = joblib.load(tmp_path / "selector.joblib", mmap_mode="r")
    finally:
        torch.set_warn_always(False)
    for name, tensor in selector.params_.items():
        assert torch.equal(mapped.params_[name], tensor)
