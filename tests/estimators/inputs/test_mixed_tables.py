"""Categories, booleans and missing values: a column of the user is one feature."""

import copy
import json
import pickle
import warnings

import numpy as np
import pandas as pd
import polars as pl
import pytest
import torch
from scipy import sparse
from sklearn.base import clone
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline

from ipcae import (
    ClassificationSelector,
    InputError,
    ReconstructionSelector,
    RegressionSelector,
    TrainingWarning,
    load,
)
from ipcae.data import load as load_data
from ipcae.evaluation import evaluate_selector, importance_on, read_sample
from ipcae.losses import Observed, SquaredError

N_ROWS = 200
FRAMES = {"pandas": lambda table: table, "polars": pl.from_pandas}


@pytest.fixture(scope="module")
def table():
    """Return 200 rows of which the city and a number with gaps decide the class."""
    random = np.random.default_rng(0)
    frame = pd.DataFrame(
        {
            "age": random.normal(50, 10, N_ROWS),
            "city": random.choice(["Kyiv", "Lima", "Oslo", "Rome"], N_ROWS),
            "income": random.normal(size=N_ROWS),
            "noise": random.normal(size=N_ROWS),
            "smoker": random.choice([True, False], N_ROWS),
        }
    )
    return frame


@pytest.fixture(scope="module")
def classes(table):
    return np.where((table.city == "Rome") | (table.income > 1), "sick", "well")


@pytest.fixture(scope="module")
def gaps(table):
    random = np.random.default_rng(1)
    return table.assign(
        income=table.income.where(random.random(N_ROWS) > 0.2),
        city=table.city.where(random.random(N_ROWS) > 0.1),
    )


@pytest.fixture
def learn():
    """Return settings that find the two informative columns, in a second."""
    return {"max_epochs": 50, "learning_rate": 1e-2, "decoder": (16,), "random_state": 0}


@pytest.mark.parametrize("frame", FRAMES.values(), ids=FRAMES.keys())
def test_a_category_is_one_feature(table, classes, learn, frame):
    rows = frame(table)
    selector = ClassificationSelector(2, **learn).fit(rows, classes)
    assert selector.n_features_in_ == 5
    assert selector.feature_names_in_.tolist() == list(table)
    assert selector.get_feature_names_out().tolist() == ["city", "income"]
    assert selector.get_support().tolist() == [False, True, True, False, False]
    assert sorted(selector.ranking_) == [1, 2, 3, 4, 5]
    assert selector.importance_.shape == (1, 2)
    assert selector.score(rows, classes) > 0.9
    np.testing.assert_array_equal(
        selector.predict(rows[["income", "city"]]), selector.predict(rows)
    )
    np.testing.assert_array_equal(
        selector.predict_from_selected(selector.transform(rows)), selector.predict(rows)
    )


@pytest.mark.parametrize("scale", ["auto", "standard", "common", "minmax", None])
def test_categories_alone_work_with_every_scale(quick, scale):
    random = np.random.default_rng(0)
    rows = pd.DataFrame(random.choice(list("acgt"), (N_ROWS, 6))).add_prefix("base ")
    selector = ClassificationSelector(1, scale=scale, **quick | {"method": None})
    selector.fit(rows, rows["base 2"] == "g")
    assert selector.get_feature_names_out().tolist() == ["base 2"]
    assert selector.predict(rows).shape == (N_ROWS,)


@pytest.mark.parametrize(
    "method", ["cae", "stg", "lassonet", "anova", "random-forest", "elimination"]
)
def test_every_method_selects_whole_columns(gaps, classes, quick, method):
    selector = ClassificationSelector(2, missing="impute", n_runs=2, **quick | {"method": method})
    selector.fit(gaps, classes)
    assert [len(selection.features) for selection in selector.selections_] == [2, 2]
    assert selector.predict(gaps).shape == (N_ROWS,)


def test_both_kinds_of_frames_give_the_same(gaps, classes, quick):
    first, second = (
        ClassificationSelector(2, missing="impute", **quick).fit(rows, classes)
        for rows in (gaps, pl.from_pandas(gaps))
    )
    np.testing.assert_array_equal(first.predict_proba(gaps), second.predict_proba(gaps))
    categorical = gaps.astype({"city": "category", "smoker": "boolean", "age": "Float64"})
    np.testing.assert_array_equal(first.predict_proba(gaps), first.predict_proba(categorical))


def test_batched_runs_equal_a_single_run(gaps, classes, quick):
    settings = {**quick, "missing": "impute"}
    batch = ClassificationSelector(2, n_runs=3, **settings).fit(gaps, classes)
    again = ClassificationSelector(2, n_runs=1, **settings).fit(gaps, classes)
    assert batch.validation_loss_[0] == again.validation_loss_[0]


def test_missing_values_are_imputed_and_marked(gaps, classes, learn):
    selector = ClassificationSelector(2, missing="impute", **learn).fit(gaps, classes)
    expansion = selector.scaler_.expansion
    names = expansion.names(selector.feature_names_in_, selector.encoding_.codings)
    assert names == [
        *["age", "city=Kyiv", "city=Lima", "city=Oslo", "city=Rome", "city is missing"],
        *["income", "income is missing", "noise", "smoker"],
    ]
    assert selector.score(gaps, classes) > 0.8
    few = gaps[["city", "income"]].assign(city=None, income=np.nan)[:3]
    assert len(set(selector.predict(few))) == 1


def test_the_median_is_that_of_the_training_rows(quick):
    rows = np.arange(20.0)[:, None] * [1, 10]
    rows[3, 1] = np.nan
    val = np.full((4, 2), 1e3)
    selector = ReconstructionSelector(1, missing="impute", **quick).fit(rows, X_val=val)
    median = np.nanmedian(rows, axis=0)
    np.testing.assert_array_equal(selector.scaler_.expansion.fill, [median[0], median[1], 0])


def test_arrays_tensors_and_sparse_rows_may_have_gaps(X, classes_of_X, quick):
    X[5:9, 1] = np.nan
    selector = ClassificationSelector(3, missing="impute", **quick).fit(X, classes_of_X)
    for rows in (X, torch.from_numpy(X), X.tolist()):
        np.testing.assert_array_equal(selector.predict_proba(rows), selector.predict_proba(X))
    assert np.isnan(selector.transform(X)).any() == selector.get_support()[1]
    other = clone(selector).fit(torch.from_numpy(X), classes_of_X)
    np.testing.assert_array_equal(other.predict_proba(X), selector.predict_proba(X))


@pytest.fixture
def classes_of_X(X):
    return (X[:, 1] > 0).astype(int)


def test_an_empty_column_is_left_out(X, classes_of_X, quick):
    X[:, 2] = np.nan
    with pytest.warns(TrainingWarning, match=r"1 of 6 columns of X is left out \(2: every value"):
        selector = ClassificationSelector(5, missing="impute", **quick).fit(X, classes_of_X)
    assert selector.get_support().tolist() == [True, True, False, True, True, True]
    with pytest.warns(TrainingWarning), pytest.raises(InputError, match="only 5 of 6"):
        clone(selector).set_params(n_features_to_select=6).fit(X, classes_of_X)


def test_infinite_values_are_refused(X, classes_of_X, quick):
    X[0, 3] = np.inf
    with pytest.raises(InputError, match=r"1 infinite value .*3: 1.*Correct them"):
        ClassificationSelector(2, missing="impute", **quick).fit(X, classes_of_X)


def test_missing_values_are_refused_with_the_way_out(gaps, table, classes, quick):
    with pytest.raises(InputError, match=r"NaN .* \(city: \d+, income: \d+\).*missing='impute'"):
        ClassificationSelector(2, **quick).fit(gaps, classes)
    selector = ClassificationSelector(5, **quick).fit(table, classes)
    with pytest.raises(InputError, match=r"Input X contains .* NaN values"):
        selector.predict(gaps)


def test_columns_that_cannot_be_used_are_left_out_with_a_warning(table, classes, quick):
    rows = table.assign(
        note=[f"note {i}" for i in range(N_ROWS)],
        born=pd.date_range("1990-01-01", periods=N_ROWS),
        place=[f"place {i % 40}" for i in range(N_ROWS)],
    )
    with pytest.warns(TrainingWarning, match="3 of 8 columns of X are left out") as caught:
        selector = ClassificationSelector(5, **quick).fit(rows, classes)
    message = str(caught[0].message)
    assert 'note: all 200 values differ, such as "note 0"' in message
    assert "born: dates are used only if asked for" in message
    assert 'place: 40 different texts, such as "place 0"' in message
    assert not selector.get_support()[5:].any()
    refusal = pytest.raises(InputError, match="include names columns that are left out")
    with pytest.warns(TrainingWarning), refusal:
        ClassificationSelector(5, include="note", **quick).fit(rows, classes)
    with pytest.warns(TrainingWarning, match="2 of 8"):
        dated = ClassificationSelector(6, dates="numbers", **quick).fit(rows, classes)
    assert dated.get_support()[6]


def test_constraints_are_about_the_users_columns(gaps, classes, quick):
    selector = ClassificationSelector(
        2,
        missing="impute",
        include="city",
        exclude=["income"],
        feature_groups={"person": ["age", "smoker"]},
        **quick,
    ).fit(gaps, classes)
    chosen = set(selector.get_feature_names_out())
    assert "city" in chosen
    assert "income" not in chosen
    assert chosen in ({"city", "noise"}, {"city", "age", "smoker"})
    assert selector.constraints_.n_features == 5


def test_files_and_copies_keep_the_encoding(gaps, classes, quick, tmp_path):
    selector = ClassificationSelector(2, missing="impute", n_runs=2, **quick).fit(gaps, classes)
    selector.save(tmp_path / "model.safetensors")
    for again in (
        load(tmp_path / "model.safetensors"),
        copy.deepcopy(selector),
        pickle.loads(pickle.dumps(selector)),
        selector.with_run(1).with_run(selector.best_run_),
    ):
        np.testing.assert_array_equal(again.predict_proba(gaps), selector.predict_proba(gaps))
        assert again.encoding_.codings == selector.encoding_.codings


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("input", ["selected", "all"])
def test_exports_take_codes_and_gaps(gaps, classes, quick, tmp_path, input, dtype):
    onnxruntime = pytest.importorskip("onnxruntime")
    selector = ClassificationSelector(2, missing="impute", include="city", **quick)
    selector.fit(gaps, classes)
    path = tmp_path / "model.onnx"
    selector.to_onnx(path, input, dtype=dtype)
    coded = selector.encoding_.code(gaps)
    if input == "selected":
        coded = coded[:, selector.get_support()]
    coded = coded.to(getattr(torch, dtype))
    session = onnxruntime.InferenceSession(path)
    labels, probabilities = session.run(None, {"X": coded.numpy()})
    np.testing.assert_array_equal(labels, selector.predict(gaps))
    np.testing.assert_allclose(probabilities, selector.predict_proba(gaps), atol=1e-5)
    module = selector.to_torch(input)
    np.testing.assert_allclose(module(coded).detach(), selector.predict_proba(gaps), atol=1e-5)
    metadata = session.get_modelmeta().custom_metadata_map
    assert metadata["levels"] == '{"city": ["Kyiv", "Lima", "Oslo", "Rome", "(missing)"]}'
    column = json.loads(metadata["input_names"]).index("city")
    with_nan = coded.clone()
    with_nan[coded[:, column] == 4, column] = torch.nan  # instead of the index of "(missing)"
    assert with_nan[:, column].isnan().any()
    assert torch.equal(module(with_nan), module(coded))
    again = session.run(None, {"X": with_nan.numpy()})
    np.testing.assert_array_equal(again[1], probabilities)


def test_reconstructions_name_the_levels(gaps, learn):
    selector = ReconstructionSelector(3, missing="impute", include=["city", "age"], **learn)
    selector.fit(gaps)
    restored = selector.reconstruct(gaps[selector.get_feature_names_out()])
    assert restored.shape == (N_ROWS, 5)
    known = gaps.city.notna()
    assert (restored[known, 1] == gaps.city[known]).mean() > 0.9
    assert np.corrcoef(restored[:, 0].astype(float), gaps.age)[0, 1] > 0.9
    assert 0.2 < selector.score(gaps) < 1
    sample = read_sample(selector, gaps, None)
    evaluation = evaluate_selector(selector, sample)
    assert evaluation.score == pytest.approx(selector.score(gaps))
    assert evaluation.baseline_score == pytest.approx(0, abs=1e-6)
    assert np.isfinite(importance_on(selector, sample).mean).all()


def test_a_reconstruction_is_not_judged_by_missing_values(X, quick):
    """What stands in missing cells changes neither the loss nor the score."""
    X[::3, 2] = np.nan
    selector = ReconstructionSelector(2, missing="impute", exclude=[2], **quick).fit(X)
    outputs = selector.decoder_outputs(X)
    true = selector.task_.scaled(torch.from_numpy(X))
    known = ~true.isnan()
    error = ((outputs - true)[known] ** 2).sum()
    spread = ((true - true.nanmean(0))[known] ** 2).sum()
    assert selector.score(X) == pytest.approx(float(1 - error / spread))


def test_the_loss_of_observed_values_has_no_gradient_elsewhere():
    outputs = torch.zeros(1, 2, 3, requires_grad=True)
    targets = torch.tensor([[1.0, torch.nan, 3.0], [torch.nan] * 3])
    losses = Observed(SquaredError()).per_row(outputs, targets)
    torch.testing.assert_close(losses, torch.tensor([[5.0, 0.0]]))
    losses.sum().backward()
    torch.testing.assert_close(outputs.grad[0], torch.tensor([[-1.0, 0, -3], [0, 0, 0]]))


@pytest.mark.parametrize("method", ["ip-cae", "stg", "lassonet", "pfa", "pivoted-qr", "udfs"])
def test_every_method_reconstructs_tables_with_gaps(gaps, quick, method):
    selector = ReconstructionSelector(2, missing="impute", **quick | {"method": method}).fit(gaps)
    assert np.isfinite(selector.validation_loss_).all()
    assert selector.reconstruct(gaps).shape == (N_ROWS, 5)


def test_a_regression_and_a_pipeline_take_such_tables(gaps, quick):
    y = gaps.age * 2
    selector = RegressionSelector(2, missing="impute", **quick)
    scores = cross_val_score(make_pipeline(selector), gaps, y, cv=2, error_score="raise")
    assert np.isfinite(scores).all()


def test_plain_numbers_are_fitted_as_ever(X, classes_of_X, quick):
    plain = ClassificationSelector(2, **quick).fit(X, classes_of_X)
    assert not hasattr(plain, "encoding_")
    imputing = ClassificationSelector(2, missing="impute", **quick).fit(X, classes_of_X)
    np.testing.assert_array_equal(imputing.predict_proba(X), plain.predict_proba(X))
    mixed = pd.DataFrame(X).rename(columns=str).assign(kind=["a", "b"] * 40)
    mixed = ClassificationSelector(2, **quick).fit(mixed, classes_of_X)
    assert hasattr(mixed, "encoding_")
    assert not hasattr(mixed.fit(X, classes_of_X), "encoding_")


@pytest.mark.parametrize("name", ["categories", "missing", "dates"])
@pytest.mark.parametrize("value", ["other", None, 3, True])
def test_invalid_arguments_are_refused(X, classes_of_X, quick, name, value):
    with pytest.raises(InputError, match=f"{name}={value!r} is not understood: expected '"):
        ClassificationSelector(2, **quick, **{name: value}).fit(X, classes_of_X)


def test_predictions_of_known_levels_do_not_warn(gaps, classes, quick):
    selector = ClassificationSelector(5, missing="impute", **quick).fit(gaps, classes)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        selector.predict(gaps)
        with pytest.raises(TrainingWarning, match='city: "Bonn"'):
            selector.predict(gaps.assign(city="Bonn"))


@pytest.mark.usefixtures("original_data")
def test_mice_protein_is_reconstructed_with_its_gaps():
    """Its 1,396 missing values are filled in, marked, and not counted."""
    mice = load_data("mice_protein", download=False)
    assert np.isnan(mice.X).sum() == 1396
    train, test = mice.groups % 4 != 0, mice.groups % 4 == 0
    selector = ReconstructionSelector(
        10, method="pivoted-qr", missing="impute", max_epochs=10, random_state=0
    ).fit(mice.X[train])
    assert selector.get_support().sum() == 10
    assert selector.scaler_.expansion.sizes.max() == 2
    assert selector.score(mice.X[test]) > 0.3
    assert np.isfinite(selector.reconstruct(mice.X[test])).all()


def test_sparse_rows_are_predicted_where_gaps_were_imputed():
    random = np.random.default_rng(0)
    X = random.normal(size=(60, 4)) * (random.random((60, 4)) < 0.7)
    y = X[:, 0] > 0
    X[3, 1] = np.nan
    selector = ClassificationSelector(2, missing="impute", max_epochs=2, random_state=0)
    selector.fit(X, y)
    rows = np.nan_to_num(X)
    for given in (sparse.csr_array(rows), torch.tensor(rows).to_sparse()):
        np.testing.assert_array_equal(selector.predict(given), selector.predict(rows))


@pytest.mark.parametrize("method", [None, "ip-cae"])
@pytest.mark.parametrize(
    "kind", [ClassificationSelector, RegressionSelector, ReconstructionSelector]
)
def test_a_table_may_have_categories_only(kind, method):
    random = np.random.default_rng(0)
    table = pd.DataFrame({name: random.choice(["low", "high"], 60) for name in "abcd"})
    y = () if kind is ReconstructionSelector else ((table["b"] == "low").astype(int),)
    selector = kind(2, method=method, max_epochs=3, random_state=0).fit(table, *y)
    assert selector.transform(table).shape == (60, 2)
    sample = read_sample(selector, table, *y or (None,))
    assert np.isfinite(evaluate_selector(selector, sample).score)
