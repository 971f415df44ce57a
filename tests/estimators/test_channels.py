"""Channels of time series are selected as a whole; the how-to page about them runs."""

from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest
import torch
from sklearn.base import clone, is_classifier, is_regressor
from sklearn.model_selection import cross_val_predict, cross_val_score

from ipcae import (
    ChannelSelector,
    ClassificationSelector,
    InputError,
    ReconstructionSelector,
    RegressionSelector,
    SelectorCV,
    StabilitySelection,
    load,
)
from tests.pages import HOW_TO, run_page

FAST = {"max_epochs": 30, "decoder": (16,), "random_state": 0}


@pytest.fixture(scope="module")
def series():
    X = np.random.default_rng(0).normal(size=(100, 5, 8))
    return X, np.where(X[:, 3].sum(1) > 0, "up", "down")


@pytest.fixture(scope="module")
def fitted(series):
    return ChannelSelector(ClassificationSelector(2, **FAST)).fit(*series)


def test_a_saved_selector_of_channels_is_one_again(series, tmp_path):
    X, y = series
    names = ["left", "right", "top", "bottom", "middle"]
    fitted = ChannelSelector(ClassificationSelector(2, **FAST), names).fit(X, y)
    fitted.save(tmp_path / "channels.safetensors")
    again = load(tmp_path / "channels.safetensors")
    assert isinstance(again, ChannelSelector)
    assert again.get_feature_names_out().tolist() == fitted.get_feature_names_out().tolist()
    np.testing.assert_array_equal(again.predict_proba(X), fitted.predict_proba(X))
    np.testing.assert_array_equal(again.ranking_, fitted.ranking_)
    np.testing.assert_array_equal(clone(again).fit(X, y).channels_, fitted.channels_)


def test_the_number_of_channels_is_chosen_by_cross_validation(series, tmp_path):
    X, y = series
    search = SelectorCV(ClassificationSelector(**FAST), n_features_to_select=[1, 3], cv=3)
    found = ChannelSelector(search).fit(X, y, groups=np.arange(100) // 5)
    assert found.selector_.n_features_ == len(found.channels_)
    assert 3 in found.channels_
    assert found.score(X, y, sample_weight=np.ones(100)) == found.score(X, y)
    found.save(tmp_path / "channels.safetensors")
    again = load(tmp_path / "channels.safetensors")
    np.testing.assert_array_equal(again.predict_proba(X), found.predict_proba(X))
    assert found.report(tmp_path / "channels.html", X, y).exists()


def test_stable_channels_are_selected(series):
    X, y = series
    inner = ClassificationSelector(1, method="anova", **FAST)
    found = ChannelSelector(StabilitySelection(inner, n_subsamples=10)).fit(X, y)
    assert found.channels_.tolist() == [3]
    frequency = found.selector_.frequency_.reshape(5, 8)
    assert (frequency == frequency[:, :1]).all()
    assert frequency[3, 0] >= 0.8


def test_whole_channels_are_selected(fitted, series):
    X, y = series
    assert fitted.channels_[0] == 3
    assert fitted.get_support(indices=True).tolist() == sorted(fitted.channels_.tolist())
    assert sorted(fitted.ranking_) == [1, 2, 3, 4, 5]
    assert fitted.ranking_[3] == 1
    np.testing.assert_array_equal(fitted.transform(X), X[:, sorted(fitted.channels_)])
    assert fitted.score(X, y) > 0.75
    assert fitted.predict_proba(X).shape == (100, 2)
    assert (fitted.predict(torch.tensor(X)) == fitted.predict(X)).all()
    assert "channel 3" in fitted.get_feature_names_out()
    assert not hasattr(fitted, "predict_survival_function")


def test_whole_subjects_are_held_out_for_validation(series):
    X, y = series
    subjects = np.arange(100) // 5
    inner = ClassificationSelector(2, **FAST)
    found = ChannelSelector(inner).fit(X, y, groups=subjects)
    channels = np.repeat([f"channel {i}" for i in range(5)], 8)
    flat = X.reshape(100, -1)
    expected = clone(inner).set_params(feature_groups=channels).fit(flat, y, groups=subjects)
    np.testing.assert_array_equal(found.predict_proba(X), expected.predict_proba(flat))
    alone = ChannelSelector(inner).fit(X, y)
    assert (found.predict_proba(X) != alone.predict_proba(X)).any()
    with pytest.raises(InputError, match="groups"):
        ChannelSelector(inner).fit(X, y, groups=subjects[1:])


def test_it_is_cloned_with_its_selector(fitted):
    again = clone(fitted)
    assert not hasattr(again, "selector_")
    assert again.selector.n_features_to_select == 2


def test_scikit_learn_takes_it_for_a_classifier_if_its_selector_is_one(series, fitted):
    X, y = series
    assert fitted.classes_.tolist() == ["down", "up"]
    assert is_classifier(fitted)
    assert is_regressor(ChannelSelector(RegressionSelector(2)))
    assert is_classifier(ChannelSelector(SelectorCV(ClassificationSelector())))
    assert cross_val_score(fitted, X, y, cv=2, scoring="roc_auc").min() > 0.7
    probabilities = cross_val_predict(fitted, X, y, cv=2, method="predict_proba")
    assert probabilities.shape == (100, 2)


def test_channels_are_reconstructed_without_a_target(series):
    X, _ = series
    selector = ChannelSelector(ReconstructionSelector(2, method="pivoted-qr", **FAST)).fit(X)
    assert selector.transform(X).shape == (100, 2, 8)
    assert not hasattr(selector, "predict_proba")


def test_arrays_that_are_not_series_raise_an_error(fitted, series):
    X, y = series
    with pytest.raises(InputError, match="expected numbers in three dimensions"):
        clone(fitted).fit(X[:, 0], y)
    with pytest.raises(InputError, match="expected one name per channel"):
        ChannelSelector(ClassificationSelector(2, **FAST), ["a", "b"]).fit(X, y)
    with pytest.raises(InputError, match="was fitted to 5 of 8"):
        fitted.predict(X[:, :4])
    with pytest.raises(InputError, match="the channels are the groups here"):
        ChannelSelector(ClassificationSelector(2, feature_groups=[[0, 1]])).fit(X, y)
    with pytest.raises(InputError, match="series of different lengths"):
        clone(fitted).fit([case[:, : 3 + i % 2] for i, case in enumerate(X)], y)
    X = X.copy()
    X[3, 1, :2] = np.nan
    with pytest.raises(InputError, match=r"2 missing values \(NaN\) in 1 channel \(.*: 2\)"):
        clone(fitted).fit(X, y)


@pytest.mark.skipif(find_spec("aeon") is None, reason="the data are in aeon's wheel")
def test_the_how_to_page_runs(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    names = run_page(HOW_TO / "channels.md")
    assert names["X_train"].shape == (40, 6, 51)
    assert names["selector"].score(names["X_test"], names["y_test"]) > 0.8
    assert names["measured"].shape == (40, 2, 51)
    assert 5 in names["given"].channels_
    report = Path("channels.html").read_text(encoding="utf-8")
    first = names["names"][names["selector"].channels_[0]]
    assert f"2 of 6 channels: {first}, " in report
    assert f"{first}[0]" in report
