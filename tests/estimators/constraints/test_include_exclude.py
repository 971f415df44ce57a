"""Included features are always selected, excluded ones never, by every method."""

import numpy as np
import pandas as pd
import pytest

from ipcae import ClassificationSelector, InputError, ReconstructionSelector, load
from ipcae.selectors import METHODS
from ipcae.tasks import Classification, Reconstruction

NAMES = ["age", "MT-1", "MT-2", "RPS6", "a", "b", "c", "d"]
QUICK = {"method": "ip-cae", "max_epochs": 2, "decoder": (4,), "random_state": 0}
SUPERVISED = [name for name, method in METHODS.items() if method.supports(Classification)]
UNSUPERVISED = [name for name, method in METHODS.items() if method.supports(Reconstruction)]


@pytest.fixture(scope="module")
def table():
    rows = np.random.default_rng(0).normal(size=(60, len(NAMES)))
    return pd.DataFrame(rows, columns=NAMES), (rows[:, 1] > 0).astype(int)


@pytest.mark.parametrize(
    ("method", "unique"), [(name, True) for name in SUPERVISED] + [("ip-cae", False)]
)
def test_every_method_selects_what_is_included_and_nothing_excluded(table, method, unique):
    X, y = table
    selector = ClassificationSelector(
        3, include=["age", 5], exclude="^MT-", unique=unique, n_runs=2, **QUICK | {"method": method}
    ).fit(X, y)
    for run in range(2):
        names = selector.with_run(run).get_feature_names_out()
        assert {"age", "b"} < set(names)
        assert not {"MT-1", "MT-2"} & set(names)
        assert len(names) == 3
    assert selector.selection_.probability[[0, 5]].tolist() == [1, 1]
    assert selector.selection_.probability[[1, 2]].tolist() == [0, 0]
    assert sorted(selector.ranking_) == list(range(1, 9))


@pytest.mark.parametrize("method", UNSUPERVISED)
def test_the_excluded_columns_are_still_reconstructed(table, method):
    X, _ = table
    selector = ReconstructionSelector(2, exclude=[0, 1, 2, 3, 4], **QUICK | {"method": method}).fit(
        X
    )
    assert set(selector.get_feature_names_out()) <= {"b", "c", "d"}
    assert selector.reconstruct(selector.transform(X)).shape == X.shape


@pytest.mark.parametrize("method", ["ip-cae", "stg", "anova"])
def test_if_everything_is_included_only_decoders_are_trained(table, method):
    X, y = table
    selector = ClassificationSelector(2, include=["b", "d"], **QUICK | {"method": method}).fit(X, y)
    assert selector.get_feature_names_out().tolist() == ["b", "d"]
    assert set(selector.history_["phase"]) == {"decoding", "fine-tuning"}


def test_the_rest_is_chosen_given_what_is_included():
    """The included column explains one half of the target: the other half must be found."""
    random = np.random.default_rng(0)
    first, second, noise = random.normal(size=(3, 200))
    copies = first[:, None] + 0.05 * random.normal(size=(200, 6))
    X = np.column_stack([first, copies, second, noise])
    y = (first + 0.6 * second > 0).astype(int)
    for method in ("ip-cae", "stg", "lassonet", "anova", "elimination", "group-lasso"):
        selector = ClassificationSelector(
            2, method=method, include=0, max_epochs=40, learning_rate=3e-3, random_state=0
        ).fit(X, y)
        assert selector.get_support(indices=True).tolist() == [0, 7], method


@pytest.mark.parametrize(
    ("given", "names"),
    [
        ("^MT-", {"MT-1", "MT-2"}),
        (["^MT-", "age"], {"MT-1", "MT-2", "age"}),
        (3, {"RPS6"}),
        (np.array([0, 3]), {"age", "RPS6"}),
        ([name.startswith("MT") for name in NAMES], {"MT-1", "MT-2"}),
        (pd.Index(["a", "b"]), {"a", "b"}),
        ({"a", "b"}, {"a", "b"}),
        (pd.Series(NAMES).str.startswith("R"), {"RPS6"}),
        # The column named "a", not every name that contains an a.
        ("a", {"a"}),
    ],
)
def test_columns_are_names_indices_masks_or_patterns(table, given, names):
    X, y = table
    selector = ClassificationSelector(4, include=given, **QUICK | {"method": "anova"}).fit(X, y)
    assert names <= set(selector.get_feature_names_out())
    assert {NAMES[column] for column in selector.constraints_.included} == names


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ({"include": ["a", "b", "c", "d"]}, "include has 4 features, more than the 3 to select"),
        ({"include": "a", "exclude": ["a", "b"]}, r"1 feature is both .* \(a\): remove it"),
        ({"exclude": "[a-zA-Z]"}, "exclude leaves no features"),
        ({"exclude": [0, 1, 2, 3, 4, 5]}, "3 features are to be selected, .* leaves only 2 of 8"),
        ({"include": "Age"}, "include='Age' matches no column.*Did you mean 'age'"),
        ({"include": "*"}, "neither a name nor a valid pattern"),
        ({"include": 8}, "the index 8: expected indices from 0 to 7"),
        ({"include": -1}, "the index -1"),
        ({"exclude": [True, False]}, "a mask of 2 values for 8 columns"),
        ({"exclude": [0.5]}, "exclude=0.5 is not understood"),
        ({"exclude": {"a": 1}}, "is not understood"),
        ({"exclude": np.zeros((2, 2))}, "is not understood"),
    ],
)
def test_what_cannot_be_is_refused_before_training(table, arguments, says):
    X, y = table
    epochs = []
    selector = ClassificationSelector(3, callbacks=epochs.append, **arguments, **QUICK)
    with pytest.raises(InputError, match=says):
        selector.fit(X, y)
    assert not epochs


def test_half_of_the_features_is_half_of_what_is_left(table):
    X, y = table
    for wanted in (None, 0.5):
        selector = ClassificationSelector(wanted, exclude="^MT-", **QUICK | {"method": "anova"})
        assert selector.fit(X, y).get_support().sum() == 3


def test_a_constant_column_can_be_included(table):
    X, y = table
    X = X.assign(a=1.0)
    selector = ClassificationSelector(2, include="a", **QUICK).fit(X, y)
    assert "a" in selector.get_feature_names_out()


def test_a_saved_selector_keeps_its_constraints(table, tmp_path):
    X, y = table
    selector = ClassificationSelector(3, include=["b"], exclude="^MT-", **QUICK).fit(X, y)
    selector.save(tmp_path / "file.safetensors")
    again = load(tmp_path / "file.safetensors")
    assert again.constraints_ == selector.constraints_
    np.testing.assert_array_equal(again.predict_proba(X), selector.predict_proba(X))
    chosen = selector.transform(X)
    np.testing.assert_array_equal(again.predict_from_selected(chosen), selector.predict(X))


def test_logits_of_all_columns_are_given_to_callbacks(table):
    X, y = table
    shapes, probabilities = [], []

    def record(report):
        if report.phase == "selecting":
            logits = report.model.logits(report.params)
            shapes.append(tuple(logits.shape))
            probabilities.append(logits.softmax(-1)[0])

    ClassificationSelector(3, include="b", exclude="^MT-", callbacks=record, **QUICK).fit(X, y)
    assert shapes == [(1, 3, 8)] * 2
    assert probabilities[-1][0].tolist() == [0, 0, 0, 0, 0, 1, 0, 0]
    assert (probabilities[-1][1:, [1, 2, 5]] == 0).all()
