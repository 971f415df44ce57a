"""Columns of a group are selected together or not at all, by every method."""

import numpy as np
import pandas as pd
import pytest
import torch
from torch import nn

from ipcae import (
    ClassificationSelector,
    InputError,
    ReconstructionSelector,
    RegressionSelector,
    load,
)
from ipcae.selectors import METHODS
from ipcae.tasks import Classification, Reconstruction

NAMES = ["ax", "ay", "az", "t", "gx", "gy", "p", "q", "r"]
GROUPS = {"acceleration": ["ax", "ay", "az"], "rotation": "^g"}
QUICK = {"max_epochs": 2, "decoder": (4,), "random_state": 0}
SUPERVISED = [name for name, method in METHODS.items() if method.supports(Classification)]
UNSUPERVISED = [name for name, method in METHODS.items() if method.supports(Reconstruction)]


@pytest.fixture(scope="module")
def table():
    rows = np.random.default_rng(0).normal(size=(60, len(NAMES)))
    return pd.DataFrame(rows, columns=NAMES), (rows[:, 1] + rows[:, 2] > 0).astype(int)


def units_of(names):
    """Return the groups and single columns with these names; fail for a part of a group."""
    names = set(names)
    units = set()
    for group in ({"ax", "ay", "az"}, {"gx", "gy"}):
        assert group <= names or not group & names
        if group <= names:
            units.add(frozenset(group))
            names -= group
    return units | names


@pytest.mark.parametrize(
    ("method", "unique"), [(name, True) for name in SUPERVISED] + [("ip-cae", False)]
)
def test_every_method_selects_whole_groups(table, method, unique):
    X, y = table
    selector = ClassificationSelector(
        3, method=method, feature_groups=GROUPS, unique=unique, n_runs=3, **QUICK
    ).fit(X, y)
    for run in range(3):
        twin = selector.with_run(run)
        units = units_of(twin.get_feature_names_out())
        assert len(units) == 3 if unique else 1 <= len(units) <= 3
        chosen = twin.transform(X)
        np.testing.assert_array_equal(twin.predict_from_selected(chosen), twin.predict(X))
        importance = twin.importance_[run]
        assert np.isfinite(importance).sum() == len(twin.selection_.features)
    assert sorted(selector.ranking_) == list(range(1, 10))


@pytest.mark.parametrize("method", UNSUPERVISED)
def test_groups_can_be_reconstructed_from(table, method):
    X, _ = table
    selector = ReconstructionSelector(2, method=method, feature_groups=GROUPS, **QUICK).fit(X)
    assert len(units_of(selector.get_feature_names_out())) == 2
    assert selector.reconstruct(selector.transform(X)).shape == X.shape


@pytest.mark.parametrize("method", ["ip-cae", "stg", "lassonet", "anova"])
def test_groups_can_be_included_and_excluded_by_name_or_column(table, method):
    X, y = table
    settings = {"method": method, "feature_groups": GROUPS, **QUICK}
    selector = ClassificationSelector(2, include="acceleration", exclude="gx", **settings)
    units = units_of(selector.fit(X, y).get_feature_names_out())
    assert len(units) == 2
    assert frozenset({"ax", "ay", "az"}) in units
    assert frozenset({"gx", "gy"}) not in units
    assert selector.constraints_.excluded == (4, 5)


@pytest.mark.parametrize("method", ["ip-cae", "cae", "stg", "lassonet", "anova", "elimination"])
def test_the_group_that_matters_is_found(method):
    """Only the three columns of one group together explain the target."""
    random = np.random.default_rng(0)
    X = random.normal(size=(300, 18))
    y = X[:, [3, 4, 5]].sum(1)
    labels = np.repeat(np.arange(6), 3)
    kind, target = (RegressionSelector, y)
    if not METHODS[method].supports(RegressionSelector._task):
        kind, target = ClassificationSelector, y > 0
    settings = {"max_epochs": 40, "learning_rate": 3e-3, "random_state": 0, "decoder": (16,)}
    selector = kind(1, method=method, feature_groups=labels, **settings).fit(X, target)
    assert selector.get_support(indices=True).tolist() == [3, 4, 5]
    assert selector.score(X, target) > 0.8


@pytest.mark.parametrize(
    "given",
    [
        [["ax", "ay", "az"], ["gx", "gy"]],
        ["a", "a", "a", None, "g", "g", None, float("nan"), None],
        np.array([0, 0, 0, 1, 2, 2, 3, 4, 5]),
        pd.Series(["a", "a", "a", None, "g", "g", None, None, None]),
        {"a": [0, 1, 2], "g": [4, 5], "none": []} | {"p": "p"},
    ],
)
def test_groups_are_given_by_names_lists_or_labels(table, given):
    X, y = table
    selector = ClassificationSelector(2, method="anova", feature_groups=given, **QUICK).fit(X, y)
    several = [group for group in selector.constraints_.groups if len(group) > 1]
    assert several == [(0, 1, 2), (4, 5)]
    assert len(selector.constraints_.units) == 6


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({"a": ["ax", "ay"], "b": ["ay", "az"]}, r"several groups \(ay\)"),
        (["a", "b"], "2 labels for 9 columns"),
        ("ax", "is not understood"),
        (3, "is not understood"),
        ({"a": ["nothing"]}, r"feature_groups\['a'\]='nothing' matches no column"),
        ([["nothing"]], r"feature_groups\[0\]='nothing' matches no column"),
        (np.zeros((2, 2, 2)), "is not understood"),
    ],
)
def test_groups_that_mean_nothing_are_refused(table, given, says):
    X, y = table
    with pytest.raises(InputError, match=says):
        ClassificationSelector(2, feature_groups=given, **QUICK).fit(X, y)


def test_k_counts_groups(table):
    X, y = table
    selector = ClassificationSelector(7, feature_groups=GROUPS, **QUICK)
    with pytest.raises(InputError, match="7 groups are to be selected, but there are 6"):
        selector.fit(X, y)
    half = ClassificationSelector(None, feature_groups=GROUPS, method="anova", **QUICK).fit(X, y)
    assert len(units_of(half.get_feature_names_out())) == 3


def network(n_inputs, n_outputs):
    return nn.Sequential(nn.Linear(n_inputs, 5), nn.Tanh(), nn.Linear(5, n_outputs))


@pytest.mark.parametrize("decoder", [(4,), "linear", network])
@pytest.mark.parametrize("method", ["ip-cae", "anova"])
def test_files_and_exports_need_only_the_selected_columns(table, tmp_path, method, decoder):
    onnxruntime = pytest.importorskip("onnxruntime")
    X, y = table
    settings = QUICK | {"decoder": decoder, "method": method, "feature_groups": GROUPS}
    selector = ClassificationSelector(3, include="t", n_runs=2, **settings).fit(X, y)
    chosen = selector.transform(X)
    expected = selector.predict_proba(X)
    selector.to_onnx(tmp_path / "model.onnx")
    session = onnxruntime.InferenceSession(tmp_path / "model.onnx")
    _, found = session.run(None, {"X": chosen.astype(np.float32)})
    np.testing.assert_allclose(found, expected, atol=1e-5)
    module = selector.to_torch(input="selected")
    np.testing.assert_allclose(module(torch.tensor(chosen)).detach(), expected, atol=1e-5)
    if decoder is not network:
        selector.save(tmp_path / "model.safetensors")
        again = load(tmp_path / "model.safetensors")
        np.testing.assert_array_equal(again.predict_proba(X), expected)
        assert again.constraints_ == selector.constraints_


def test_the_importance_of_a_group_is_that_of_all_its_columns():
    """Each column repeats the others: shuffled alone, none would seem to matter."""
    random = np.random.default_rng(0)
    signal = random.normal(size=300)
    X = np.column_stack([signal, signal, signal, *random.normal(size=(2, 300))])
    selector = RegressionSelector(
        2, feature_groups=[[0, 1, 2]], include=0, max_epochs=40, random_state=0
    ).fit(X, signal)
    importance = selector.importance_[0]
    first = np.isin(selector.selection_.features, [0, 1, 2])
    assert len(set(importance[: len(first)][first])) == 1
    assert importance[: len(first)][first][0] > 1
    assert selector.ranking_[:3].tolist() == [1, 2, 3]


def test_a_constant_column_does_not_spoil_its_group(table):
    X, y = table
    X = X.assign(ax=1.0)
    selector = ClassificationSelector(2, method="anova", feature_groups=GROUPS, **QUICK).fit(X, y)
    assert {"ax", "ay", "az"} <= set(selector.get_feature_names_out())
