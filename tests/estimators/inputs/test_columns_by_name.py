"""The columns of a data frame are found by their names, in any order and among others."""

import warnings

import numpy as np
import pandas as pd
import polars as pl
import pytest

from ipcae import (
    ClassificationSelector,
    InputError,
    ReconstructionSelector,
    RegressionSelector,
    TrainingWarning,
    load,
)
from ipcae.evaluation import read_sample

NAMES = list("abcdef")
FRAMES = {"pandas": lambda table: table, "polars": pl.DataFrame}
ANSWERS = ["predict", "predict_proba", "transform", "predict_from_selected", "decoder_outputs"]


@pytest.fixture
def table(X):
    return pd.DataFrame(X, columns=NAMES)


@pytest.fixture
def selector(table, classes, quick):
    return ClassificationSelector(2, **quick).fit(table, classes)


@pytest.fixture(params=FRAMES.values(), ids=FRAMES.keys())
def measured(request, table, selector):
    """Return the selected columns in the reverse order, beside text that nobody reads."""
    read = selector.get_feature_names_out()[::-1].tolist()
    return request.param(table[read].assign(note="unread", z=np.nan))


@pytest.mark.parametrize("answer", ANSWERS)
def test_only_the_selected_columns_are_needed(selector, table, measured, answer):
    ask = getattr(selector, answer)
    np.testing.assert_array_equal(ask(measured), ask(table))


def test_a_score_needs_only_the_selected_columns(selector, table, measured, classes):
    assert selector.score(measured, classes) == selector.score(table, classes)


def test_a_reconstruction_needs_only_the_selected_columns(table, quick):
    selector = ReconstructionSelector(2, **quick).fit(table)
    read = selector.get_feature_names_out()[::-1].tolist()
    expected = selector.reconstruct(table.to_numpy()[:, selector.get_support()])
    for rows in (table[read], table[NAMES[::-1]], table[read].assign(z=0.0, w=0.0, v=0.0, u=0.0)):
        np.testing.assert_array_equal(selector.reconstruct(rows), expected)


def test_the_score_of_a_reconstruction_needs_all_columns_in_any_order(table, quick):
    selector = ReconstructionSelector(2, **quick).fit(table)
    assert selector.score(table[NAMES[::-1]].assign(note="unread")) == selector.score(table)
    with pytest.raises(InputError, match=r"^X lacks 1 of the 6 columns .*: c"):
        selector.score(table.drop(columns="c"))


def test_validation_rows_and_samples_are_read_by_name(table, classes, quick):
    shuffled = table[NAMES[::-1]].assign(note="unread")
    first, second = (
        ClassificationSelector(2, **quick).fit(table, classes, X_val=rows, y_val=classes)
        for rows in (table, shuffled)
    )
    np.testing.assert_array_equal(first.validation_loss_, second.validation_loss_)
    sample, other = (read_sample(first, rows, classes) for rows in (table, shuffled))
    assert sample.fingerprint() == other.fingerprint()


@pytest.mark.parametrize("answer", ANSWERS)
@pytest.mark.parametrize("form", FRAMES.values(), ids=FRAMES.keys())
def test_columns_that_are_not_there_are_named(selector, table, form, answer):
    first, second = selector.get_feature_names_out()
    ask = getattr(selector, answer)
    name = "X_selected" if answer == "predict_from_selected" else "X"
    with pytest.raises(InputError, match=rf"^{name} lacks 1 of the 2 columns .*: {first}\.$"):
        ask(form(table.drop(columns=first)))
    with pytest.raises(InputError, match=rf"^{name} lacks 2 of .*: {first}, {second}\.$"):
        ask(form(table.add_suffix("_new")))


def test_only_the_selected_columns_must_be_numbers_with_different_names(selector, table):
    first, second = selector.get_feature_names_out()
    other = next(name for name in NAMES if name not in (first, second))
    twice = table[[first, second, other, other]]
    np.testing.assert_array_equal(selector.predict(twice), selector.predict(table))
    with pytest.raises(InputError, match=rf"same name \({first}\)"):
        selector.predict(table[[first, second, first]])
    with pytest.raises(InputError, match=rf"1 column of X is not numeric \({first}\)"):
        selector.transform(table.assign(**{first: "text"}))


def test_without_names_the_position_counts(selector, table, X):
    with pytest.warns(UserWarning, match="does not have valid feature names"):
        np.testing.assert_array_equal(selector.predict(X), selector.predict(table))
    with (
        pytest.warns(UserWarning, match="does not have valid feature names"),
        pytest.raises(InputError, match="X has 5 features"),
    ):
        selector.predict(X[:, :5])


@pytest.mark.parametrize("container", ["pandas", "polars"])
def test_transform_keeps_the_types_of_the_columns(table, classes, quick, container):
    counts = FRAMES[container]((100 * table).round().astype("int16"))
    selector = ClassificationSelector(2, **quick).fit(counts, classes)
    assert selector.transform(counts).dtype == np.int16
    transformed = selector.set_output(transform=container).transform(counts[NAMES[::-1]])
    assert {str(dtype).lower() for dtype in transformed.dtypes} == {"int16"}
    assert list(transformed.columns) == selector.get_feature_names_out().tolist()


def test_values_far_outside_of_the_training_range_are_warned_of(selector, table):
    first, second = selector.get_feature_names_out()
    far = table.copy()
    far.loc[3, first] = 99.0
    far.loc[[3, 5], second] = -1e6
    seen = f"seen {table[first].min():g} to {table[first].max():g}"
    with pytest.warns(TrainingWarning, match=rf"\({first}: 99, {seen}; |, {second}: -1e\+06"):
        selector.predict_proba(far)
    with pytest.warns(TrainingWarning, match="the predictions for 2 rows are extrapolations"):
        selector.predict_from_selected(far)
    other = next(name for name in NAMES if name not in (first, second))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        selector.predict(table.assign(**{other: 1e9}))
        selector.predict(table * 1.5)


def test_a_loaded_selector_warns_too(X, values, quick, tmp_path):
    selector = RegressionSelector(2, scale=None, **quick).fit(X + 100, values)
    selector.save(tmp_path / "model.safetensors")
    feature = selector.get_support(indices=True)[0]
    with pytest.warns(TrainingWarning, match=rf"\(column {feature}: 0, seen "):
        load(tmp_path / "model.safetensors").predict(X * 0)
