"""``ipcae predict`` on tables that have, and lack, what the model reads."""

import io
import os

import numpy as np
import pandas as pd
import pytest

from ipcae import ClassificationSelector, ReconstructionSelector, RegressionSelector
from ipcae.estimators import load
from ipcae.files import save

HASTY = {"method": "ip-cae", "max_epochs": 2, "decoder": (4,), "random_state": 0}


@pytest.fixture
def X(frame):
    return frame[list("abcdef")]


@pytest.fixture
def saved(tmp_path):
    """Save a selector and return its path."""

    def call(selector):
        save(selector, tmp_path / "model.safetensors")
        return tmp_path / "model.safetensors"

    return call


@pytest.fixture
def model(X, frame, saved):
    return saved(ClassificationSelector(3, **HASTY).fit(X, frame.label))


def test_from_select_to_predictions(select, ipcae, frame, tmp_path):
    assert select(frame.drop(columns="price"), "--target", "label").code == 0
    model, table = tmp_path / "out" / "model.safetensors", tmp_path / "new.csv"
    selected = (tmp_path / "out" / "selected.txt").read_text().split()
    # Only what was selected is measured, in another order, beside other things.
    frame[selected[::-1]].assign(remark="none").to_csv(table, index=False)
    out = tmp_path / "predictions.csv"
    code, stdout, stderr = ipcae("predict", model, table, "--out", out, "--proba")
    assert (code, stdout, stderr) == (0, "", "")
    predictions = pd.read_csv(out)
    assert list(predictions) == ["prediction", "probability_sick", "probability_well"]
    selector = load(model)
    X = pd.read_csv(tmp_path / "table.csv")[list("abcdef")]
    assert predictions.prediction.tolist() == selector.predict(X).tolist()
    np.testing.assert_array_equal(predictions.iloc[:, 1:], selector.predict_proba(X))


def test_the_folder_of_a_selection_stands_for_its_model(ipcae, model, X, tmp_path):
    X.to_csv(tmp_path / "new.csv", index=False)
    of_folder = ipcae("predict", model.parent, tmp_path / "new.csv")
    assert of_folder.code == 0
    assert of_folder == ipcae("predict", model, tmp_path / "new.csv")
    (tmp_path / "empty").mkdir()
    outcome = ipcae("predict", tmp_path / "empty", tmp_path / "new.csv")
    assert "empty/model.safetensors does not exist" in outcome.err


def test_standard_output_is_the_default(ipcae, model, X, tmp_path):
    X.to_csv(tmp_path / "new.csv", index=False)
    code, stdout, stderr = ipcae("predict", model, tmp_path / "new.csv")
    assert (code, stderr) == (0, "")
    predictions = pd.read_csv(io.StringIO(stdout))
    assert predictions.prediction.tolist() == load(model).predict(X).tolist()


def test_rows_keep_their_names(ipcae, model, X, tmp_path):
    X.set_axis([f"patient {i}" for i in range(len(X))]).to_csv(tmp_path / "new.csv")
    code, stdout, _ = ipcae("predict", model, tmp_path / "new.csv")
    assert code == 0
    assert pd.read_csv(io.StringIO(stdout), index_col=0).index[3] == "patient 3"


@pytest.mark.parametrize("ending", [".parquet", ".npz", ".tsv.gz"])
def test_other_kinds_of_tables(ipcae, X, frame, saved, tmp_path, ending):
    X = X.astype(np.float32)
    model = saved(RegressionSelector(3, **HASTY).fit(X, frame.price))
    table = tmp_path / f"new{ending}"
    if ending == ".npz":
        np.savez(table, X=X, feature_names=list(X))
    elif ending == ".parquet":
        X.to_parquet(table)
    else:
        X.to_csv(table, index=False, sep="\t")
    code, stdout, stderr = ipcae("predict", model, table)
    assert code == 0, stderr
    predictions = pd.read_csv(io.StringIO(stdout)).prediction
    np.testing.assert_allclose(predictions, load(model).predict(X), rtol=1e-5)


def test_several_targets_and_labels(ipcae, X, saved, tmp_path):
    X.to_csv(tmp_path / "new.csv", index=False)
    model = saved(RegressionSelector(3, **HASTY).fit(X, X[["a", "b"]]))
    _, stdout, _ = ipcae("predict", model, tmp_path / "new.csv")
    predictions = pd.read_csv(io.StringIO(stdout))
    assert list(predictions) == ["prediction_0", "prediction_1"]
    model = saved(ClassificationSelector(3, **HASTY).fit(X, (X[["a", "b"]] > 0).astype(int)))
    _, stdout, _ = ipcae("predict", model, tmp_path / "new.csv", "--proba")
    names = list(pd.read_csv(io.StringIO(stdout)))
    assert names == ["prediction_0", "prediction_1", "probability_0", "probability_1"]


def test_reconstructions_have_all_columns(ipcae, X, saved, tmp_path):
    selector = ReconstructionSelector(3, **HASTY).fit(X)
    selector.set_output(transform="pandas").transform(X).to_csv(tmp_path / "new.csv", index=False)
    code, stdout, stderr = ipcae("predict", saved(selector), tmp_path / "new.csv")
    assert code == 0, stderr
    rows = pd.read_csv(io.StringIO(stdout))
    assert list(rows) == list(X)
    np.testing.assert_allclose(rows, selector.reconstruct(X), rtol=1e-9)


def test_a_model_without_names_reads_columns_by_number(ipcae, X, frame, saved, tmp_path):
    model = saved(RegressionSelector(3, **HASTY).fit(X.to_numpy(), frame.price))
    np.savez(tmp_path / "new.npz", X=X)
    code, _, stderr = ipcae("predict", model, tmp_path / "new.npz")
    assert code == 0, stderr
    X.to_csv(tmp_path / "new.csv", index=False)
    code, _, stderr = ipcae("predict", model, tmp_path / "new.csv")
    assert code == 2
    assert "lacks 3 of the 3 columns" in stderr


@pytest.fixture
def refused(ipcae, model, X, tmp_path):
    """Predict for a table that is changed, or with more arguments; return the sentence."""

    def call(change=None, *arguments, model=model):
        table = tmp_path / "new.csv"
        (X if change is None else change(X)).to_csv(table, index=False)
        code, stdout, stderr = ipcae("predict", model, table, *arguments)
        assert (code, stdout) == (2, "")
        assert stderr.startswith("error: ")
        assert len(stderr.splitlines()) == 1
        return stderr

    return call


def test_missing_columns_are_named(refused, model):
    first, *_ = names = list(load(model).get_feature_names_out())
    assert f"lacks 1 of the 3 columns that the model reads: {first}." in refused(
        lambda X: X.drop(columns=first)
    )
    assert ", ".join(names) in refused(lambda X: X.drop(columns=names).assign(z=1))
    assert f"{first} (it has {first.upper()})" in refused(lambda X: X.rename(columns=str.upper))


def test_spaces_around_the_names_of_the_model_do_not_matter(ipcae, X, frame, saved, tmp_path):
    model = saved(
        ClassificationSelector(3, **HASTY).fit(X.rename(columns="{} ".format), frame.label)
    )
    X.to_csv(tmp_path / "new.csv", index=False)
    assert ipcae("predict", model, tmp_path / "new.csv").code == 0


def test_text_and_gaps_are_refused(refused, model):
    name = load(model).get_feature_names_out()[0]
    assert f"not numeric but that the model reads: {name}." in refused(
        lambda X: X.assign(**{name: "high"})
    )
    gap = refused(lambda X: X.assign(**{name: X[name].where(X.index > 1)}))
    assert f"missing or infinite values in columns that the model reads ({name}: 2)" in gap
    assert "A model from select --missing impute fills in missing values itself." in gap
    assert "impute" not in refused(lambda X: X.assign(**{name: np.inf}))


def test_bad_models_are_refused(refused, tmp_path):
    assert "does not exist" in refused(model=tmp_path / "no.safetensors")
    (tmp_path / "other.safetensors").write_bytes(b"something else")
    assert "not a safetensors file" in refused(model=tmp_path / "other.safetensors")


def test_bad_places_are_refused(refused, tmp_path):
    assert "is a folder" in refused(None, "--out", tmp_path)
    assert "there is no folder" in refused(None, "--out", tmp_path / "a" / "b.csv")
    assert "predictions are written as comma-separated" in refused(None, "--out", "p.xlsx")
    (tmp_path / "old.csv").write_text("old")
    assert "--force" in refused(None, "--out", tmp_path / "old.csv")
    assert (tmp_path / "old.csv").read_text() == "old"


def test_force_replaces(ipcae, model, X, tmp_path):
    out = tmp_path / "old.csv"
    out.write_text("old")
    X.to_csv(tmp_path / "new.csv", index=False)
    assert ipcae("predict", model, tmp_path / "new.csv", "--out", out, "--force").code == 0
    assert out.read_text().startswith("prediction\n")


def test_probabilities_of_numbers_are_refused(refused, X, frame, saved):
    model = saved(RegressionSelector(3, **HASTY).fit(X, frame.price))
    assert "does not predict classes" in refused(None, "--proba", model=model)


def test_a_closed_pipe_is_not_reported_as_a_bug(start, model, X, tmp_path):
    pd.concat([X] * 400).to_csv(tmp_path / "new.csv", index=False)
    with start("predict", model, tmp_path / "new.csv") as process:
        process.stdout.close()
        assert process.stderr.read() == ""
        assert process.wait(60) == 1


def test_help_fits_the_terminal(ipcae):
    code, out, _ = ipcae("predict", "--help")
    assert code == 0
    assert all(option in out for option in ("MODEL", "TABLE", "--out", "--proba", "--force"))
    assert max(map(len, out.splitlines())) <= 80


@pytest.mark.parametrize("task", ["classification", "regression", "reconstruction"])
def test_predictions_that_are_not_finite_are_refused(refused, X, frame, saved, task):
    selector = {
        "classification": lambda: ClassificationSelector(3, **HASTY).fit(X, frame.label),
        "regression": lambda: RegressionSelector(3, **HASTY).fit(X, frame.price),
        "reconstruction": lambda: ReconstructionSelector(3, **HASTY).fit(X),
    }[task]()
    name = selector.get_feature_names_out()[1]
    large = X[name].where(X.index > 1, 1e300)
    sentence = refused(lambda X: X.assign(**{name: large}), model=saved(selector))
    assert "2 of 60 rows" in sentence
    assert f"({name}: 1e+300)" in sentence


def test_predictions_are_not_written_to_a_pipe(refused, tmp_path):
    if not hasattr(os, "mkfifo"):
        pytest.skip("needs pipes")
    os.mkfifo(tmp_path / "pipe.csv")
    assert "is a pipe" in refused(None, "--out", tmp_path / "pipe.csv", "--force")
