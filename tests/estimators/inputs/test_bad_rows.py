"""Invalid rows are rejected with a one-sentence message, before any training."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
import torch

from ipcae import (
    ClassificationSelector,
    InputError,
    ReconstructionSelector,
    RegressionSelector,
    TrainingWarning,
)

NAMES = list("abcdef")


def never(outputs, targets):
    raise AssertionError("training has begun")


@pytest.fixture
def table(X):
    return pd.DataFrame(X, columns=NAMES)


def refused(X, *words, n_features_to_select=2, y=None, categories="auto", **fit_arguments):
    """Check that fit refuses the rows in one sentence that holds these words."""
    for kind in (ReconstructionSelector, RegressionSelector):
        targets = np.arange(len(X) if hasattr(X, "__len__") else X.shape[0]) if y is None else y
        selector = kind(n_features_to_select, loss=never, categories=categories)
        arguments = fit_arguments.copy()
        if kind is RegressionSelector and "X_val" in arguments:
            arguments["y_val"] = np.arange(len(arguments["X_val"]))
        with pytest.raises(InputError) as caught:
            selector.fit(X, targets, **arguments)
        message = str(caught.value)
        assert "\n" not in message
        assert message.endswith(".")
        for word in words:
            assert word in message


def with_holes(X):
    spoiled = X.copy()
    spoiled[3:10, 1] = np.nan
    spoiled[0, 4] = np.nan
    spoiled[7, 4] = np.inf
    spoiled[8, 4] = -np.inf
    return spoiled


@pytest.mark.parametrize(
    "form",
    [
        lambda X: pd.DataFrame(X, columns=NAMES),
        lambda X: pl.DataFrame(X, schema=NAMES),
    ],
    ids=["pandas", "polars"],
)
def test_missing_and_infinite_values_are_counted_by_the_columns_names(X, form):
    refused(
        form(with_holes(X)),
        "8 NaN and 2 infinite values",
        "2 of 6 columns",
        "b: 7, e: 3",
        "Imputer",
    )


@pytest.mark.parametrize(
    "form",
    [np.asarray, lambda X: X.astype(np.float32), torch.from_numpy, lambda X: X.tolist()],
    ids=["float64", "float32", "tensor", "lists"],
)
def test_missing_and_infinite_values_are_counted_by_the_columns_numbers(X, form):
    refused(form(with_holes(X)), "8 NaN and 2 infinite values", "2 of 6 columns", "1: 7, 4: 3")


def test_missing_values_of_data_frames_are_found(table):
    missing = table.assign(b=pd.array([1, None] * 40, dtype="Int64"), c=[None, *range(79)])
    refused(missing, "41 NaN values", "b: 40, c: 1")
    nulls = pl.DataFrame(table).with_columns(b=pl.when(pl.col("b") > 100).then(pl.col("b")))
    refused(nulls, "80 NaN values", "b: 80")


def test_missing_values_of_many_columns_are_summed_up(X):
    refused(np.full((80, 20), np.nan), "20 of 20 columns", "… 15 more")


def test_large_finite_values_are_not_mistaken_for_infinite_ones(X, quick):
    selector = ReconstructionSelector(2, scale="standard", **quick).fit(X * 1e150)
    assert np.isfinite(selector.reconstruct(X * 1e150)).all()


def test_missing_values_are_refused_in_validation_and_prediction(X, table, values, quick):
    refused(X, "Input X_val contains 8 NaN", X_val=with_holes(X))
    selector = RegressionSelector(2, **quick).fit(table, values)
    with pytest.raises(InputError, match="1: 7, 4: 3"):
        RegressionSelector(2, **quick).fit(X, values).predict(with_holes(X))
    read = selector.get_feature_names_out()
    with pytest.raises(InputError, match=f"Input X contains 160 NaN values .*{read[0]}: 80"):
        selector.predict(table.assign(**dict.fromkeys(read, np.nan)))


@pytest.mark.parametrize(
    "text",
    [
        lambda table: table.assign(c="x"),
        lambda table: table.assign(c=pd.Series(["x", 1] * 40, dtype=object)),
        lambda table: table.assign(c=pd.Categorical(["x", "y"] * 40)),
        lambda table: table.assign(c=pd.date_range("2020-01-01", periods=80)),
        lambda table: pl.DataFrame(table).with_columns(c=pl.lit("x")),
        lambda table: pl.DataFrame(table).with_columns(c=pl.lit("x").cast(pl.Categorical)),
    ],
    ids=["text", "objects", "categories", "dates", "polars text", "polars categories"],
)
def test_columns_that_are_not_numeric_are_named(table, text):
    refused(text(table), "1 column of X is not numeric (c)", "OneHotEncoder", categories="error")


def test_several_columns_that_are_not_numeric_are_named(table):
    refused(table.assign(c="x", e="y"), "2 columns of X are not numeric (c, e)", categories="error")


def test_text_in_arrays_and_lists_is_refused():
    rows = [["red", 1.0], ["blue", 2.0]] * 10
    refused(rows, "X contains text", "red", "Pass a data frame")
    refused(np.array(rows, dtype=object), "X contains text", "red")


@pytest.mark.parametrize(
    ("X", "words"),
    [
        (torch.zeros(5), "two dimensions"),
        (torch.zeros(5, 2, 2), "expected two, rows and features"),
        (np.zeros((5, 2, 2)), "use ChannelSelector"),
        (np.zeros((5, 2, 2)).tolist(), "use ChannelSelector"),
        (torch.zeros(0, 3), "empty"),
        (torch.zeros(5, 0), "empty"),
        (torch.zeros(5, 2, dtype=torch.complex64), "complex"),
    ],
)
def test_tensors_of_another_shape_or_kind_are_refused(X, words):
    refused(X, words, y=np.zeros(5))


@pytest.mark.parametrize(
    ("wanted", "words"),
    [
        (7, ["n_features_to_select=7", "more than the 6 features"]),
        (0, ["n_features_to_select=0", "from 1 to 6"]),
        (-3, ["n_features_to_select=-3", "from 1 to 6"]),
        (0.0, ["n_features_to_select=0.0", "fraction"]),
        (1.5, ["n_features_to_select=1.5", "fraction"]),
        (-0.5, ["n_features_to_select=-0.5", "fraction"]),
        (float("nan"), ["n_features_to_select=nan", "fraction"]),
        (True, ["n_features_to_select=True", "not a number"]),
        ("ten", ["n_features_to_select='ten'", "not a number"]),
        ([2], ["n_features_to_select=[2]", "not a number"]),
    ],
)
def test_an_impossible_number_of_features_is_refused(X, wanted, words):
    refused(X, *words, n_features_to_select=wanted)


def test_too_few_rows_to_split_are_refused(X):
    refused(X[:1], "n_samples=1", "too few", "validation_fraction=None")


def test_few_rows_can_be_learned_from_when_they_validate_themselves(X, quick):
    selector = ReconstructionSelector(2, validation_fraction=None, **quick)
    with pytest.warns(TrainingWarning, match="6 of 6 columns are constant"):
        selector.fit(X[:1])
    assert selector.fit(X[:2]).get_support().sum() == 2


def test_validation_rows_must_have_the_same_columns(X, table):
    with pytest.raises(ValueError, match=r"X has 4 features, but .* is expecting 6"):
        ReconstructionSelector(2, loss=never).fit(X, X_val=X[:, :4])
    with pytest.raises(InputError, match=r"X has 4 features, but .* is expecting 6"):
        ReconstructionSelector(2, loss=never).fit(X, X_val=torch.from_numpy(X[:, :4]))
    with pytest.raises(InputError, match=r"X_val lacks 2 of the 6 columns .*: e, f"):
        ReconstructionSelector(2, loss=never).fit(table, X_val=table[NAMES[:4]])


ANSWERS = ["predict", "predict_proba", "transform"]


@pytest.mark.parametrize("form", [np.asarray, torch.from_numpy])
@pytest.mark.parametrize("answer", ANSWERS)
def test_answers_need_the_same_number_of_columns(X, classes, quick, answer, form):
    ask = getattr(ClassificationSelector(2, **quick).fit(X, classes), answer)
    with pytest.raises(ValueError, match=r"X has 5 features, but .* is expecting 6"):
        ask(form(X[:, :5]))
