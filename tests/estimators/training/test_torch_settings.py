"""PyTorch's global settings, which a notebook may have changed, change no result."""

from contextlib import contextmanager

import numpy as np
import pytest
import torch
from torch import nn

from ipcae import (
    ClassificationSelector,
    ReconstructionSelector,
    SelectorCV,
    StabilitySelection,
    chance_test,
    evaluate_features,
)

onnxruntime = pytest.importorskip("onnxruntime")


@contextmanager
def default_dtype(dtype):
    torch.set_default_dtype(dtype)
    try:
        yield
    finally:
        torch.set_default_dtype(torch.float32)


SETTINGS = {
    "float64": lambda: default_dtype(torch.float64),
    "bfloat16": lambda: default_dtype(torch.bfloat16),
    "another device": lambda: torch.device("meta"),
    "no gradients": torch.no_grad,
    "inference": torch.inference_mode,
    "autocast": lambda: torch.autocast("cpu", dtype=torch.bfloat16),
}


@pytest.mark.parametrize("settings", SETTINGS.values(), ids=SETTINGS.keys())
@pytest.mark.parametrize("method", ["ip-cae", "anova"])
def test_they_change_no_fit_and_no_prediction(settings, method, X, classes, quick):
    selector = ClassificationSelector(2, **{**quick, "method": method, "decoder": "auto"})
    expected = selector.fit(X, classes).predict_proba(X)
    with settings():
        fitted = selector.fit(X, classes)
        np.testing.assert_array_equal(fitted.predict_proba(X), expected)
        np.testing.assert_array_equal(fitted.transform(X), X[:, fitted.get_support()])
    np.testing.assert_array_equal(fitted.predict_proba(X), expected)


@pytest.mark.parametrize("settings", SETTINGS.values(), ids=SETTINGS.keys())
def test_they_change_no_reconstruction(settings, X, quick):
    expected = ReconstructionSelector(2, **quick).fit(X).reconstruct(X)
    with settings():
        fitted = ReconstructionSelector(2, **quick).fit(X)
        np.testing.assert_array_equal(fitted.reconstruct(X), expected)


def own_network(n_inputs, n_outputs):
    layers = nn.Linear(n_inputs, 4), nn.BatchNorm1d(4), nn.Linear(4, n_outputs)
    return nn.Sequential(*layers)


@pytest.mark.parametrize("settings", SETTINGS.values(), ids=SETTINGS.keys())
@pytest.mark.parametrize("decoder", [(8,), own_network], ids=["mlp", "own"])
def test_they_change_no_export(settings, decoder, X, classes, quick, tmp_path):
    selector = ClassificationSelector(2, **{**quick, "decoder": decoder}).fit(X, classes)
    rows = torch.from_numpy(X)
    expected = selector.to_torch()(rows)
    selector.to_onnx(tmp_path / "expected.onnx", "all")
    with settings():
        module = selector.to_torch()
        selector.to_onnx(tmp_path / "here.onnx", "all")
    assert torch.equal(module(rows), expected)
    module(rows).log().mean().backward()  # its tensors can be trained
    assert all(parameter.grad is not None for parameter in module.parameters())
    runs = [
        onnxruntime.InferenceSession(tmp_path / name).run(None, {"X": X.astype(np.float32)})
        for name in ("expected.onnx", "here.onnx")
    ]
    for here, there in zip(*runs, strict=True):
        np.testing.assert_array_equal(here, there)


MANY_FITS = {
    "search": lambda selector, X, y: (
        SelectorCV(selector, n_features_to_select=[1, 2], cv=2).fit(X, y).best_score_
    ),
    "stability": lambda selector, X, y: (
        StabilitySelection(selector, n_subsamples=4).fit(X, y).frequency_.tolist()
    ),
    "chance": lambda selector, X, y: chance_test(selector, X, y, n_repeats=1).p_value,
    "list": lambda selector, X, y: (
        evaluate_features(selector, [1], X, y, cv=2, n_random=1, rankings=[]).sentence
    ),
}


@pytest.mark.parametrize("settings", ["float64", "another device", "no gradients"])
@pytest.mark.parametrize("fits", MANY_FITS.values(), ids=MANY_FITS.keys())
def test_they_change_nothing_that_fits_many_selectors(settings, fits, X, classes, quick):
    selector = ClassificationSelector(2, **{**quick, "method": "anova"})
    expected = fits(selector, X, classes)
    with SETTINGS[settings]():
        assert fits(selector, X, classes) == expected


def test_they_are_restored(X, classes, quick):
    with default_dtype(torch.float64), torch.no_grad(), torch.device("meta"):
        with pytest.raises(ValueError, match="method"):
            ClassificationSelector(2, **{**quick, "method": "unknown"}).fit(X, classes)
        assert torch.get_default_dtype() == torch.float64
        assert torch.get_default_device() == torch.device("meta")
        assert not torch.is_grad_enabled()
