"""Exported models in ONNX Runtime, compared with our own predictions."""

import json
import subprocess
import sys

import numpy as np
import onnx
import onnxruntime
import pytest
from sklearn.exceptions import NotFittedError

from ipcae import InputError, RegressionSelector
from ipcae.decoders import linear_decoder
from ipcae.export import to_onnx

TASKS = ["integers", "floats", "truth", "texts", "objects", "labels", "number", "numbers", "none"]
TOLERANCE = 1e-5


def session_of(path):
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    return onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])


def run(path, rows):
    session = session_of(path)
    names = [output.name for output in session.get_outputs()]
    return dict(zip(names, session.run(None, {"X": rows}), strict=True))


def check(selector, rows, given, answer, path, tolerance=TOLERANCE):
    """Compare the answers to rows of all columns; ``given`` are the columns of the file."""
    expected, unit = answer(selector, rows)
    outputs = run(path, given)
    name = {"ClassificationSelector": "probabilities", "RegressionSelector": "prediction"}
    values = outputs.pop(name.get(type(selector).__name__, "reconstruction"))
    assert values.shape == expected.shape
    assert (np.abs(values - expected) / unit).max() <= tolerance
    if not hasattr(selector, "classes_"):
        assert outputs == {}
        return
    labels, ours = outputs.pop("label"), selector.predict(rows)
    assert outputs == {}
    assert labels.shape == ours.shape
    if selector.task_.name == "multilabel":
        certain = np.abs(expected - 0.5) > TOLERANCE
    else:
        ordered = np.sort(expected, axis=1)
        certain = ordered[:, -1] - ordered[:, -2] > TOLERANCE
    assert certain.mean() > 0.99
    assert labels[certain].tolist() == ours[certain].tolist()


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("columns", ["selected", "all"])
@pytest.mark.parametrize("decoder", ["linear", "one layer", "two layers", "skip", "no norm"])
@pytest.mark.parametrize("task", TASKS)
def test_onnx_predicts_the_same_as_the_selector(
    fitted, new_rows, answer, tmp_path, task, decoder, columns, dtype
):
    for scale in ("standard", "common", "minmax", None):
        selector = fitted(task, decoder, scale)
        rows = new_rows().astype(dtype)
        given = selector.transform(rows) if columns == "selected" else rows
        to_onnx(selector, tmp_path / "model.onnx", input=columns, dtype=dtype)
        check(selector, rows, given, answer, tmp_path / "model.onnx")


@pytest.mark.parametrize("task", ["texts", "none"])
def test_a_custom_decoder_predicts_the_same_in_onnx(fitted, new_rows, answer, tmp_path, task):
    pytest.importorskip("onnxscript")
    selector, rows = fitted(task, "own"), new_rows().astype(np.float32)
    to_onnx(selector, tmp_path / "model.onnx", input="all")
    check(selector, rows, rows, answer, tmp_path / "model.onnx")


@pytest.mark.parametrize("task", ["texts", "number", "none"])
def test_columns_far_from_zero_in_float64(fitted, new_rows, answer, tmp_path, task):
    selector, rows = fitted(task, scale="standard", offset=1e7), new_rows(offset=1e7)
    to_onnx(selector, tmp_path / "model.onnx", input="all", dtype="float64")
    check(selector, rows, rows, answer, tmp_path / "model.onnx")


@pytest.mark.parametrize("task", ["texts", "number", "none"])
def test_columns_far_from_zero_in_float32(fitted, new_rows, answer, tmp_path, task):
    offset = 1e5
    selector = fitted(task, scale="standard", offset=offset)
    rows = new_rows(offset=offset).astype(np.float32)
    to_onnx(selector, tmp_path / "model.onnx", input="all")
    # Reconstructions far from zero are as fine as float32 is there.
    coarse = 5 * offset * np.finfo(np.float32).eps / selector.scaler_.scale.min().item()
    tolerance = 2 * coarse if task == "none" else TOLERANCE
    check(selector, rows, rows, answer, tmp_path / "model.onnx", tolerance)


def test_collisions_and_another_run(fitted, new_rows, answer, tmp_path):
    selector = fitted("number", method="ip-cae", unique=False, n_runs=4, max_epochs=1)
    rows = new_rows().astype(np.float32)
    widths = set()
    for number in range(4):
        other = selector.with_run(number)
        to_onnx(other, tmp_path / "model.onnx")
        given = other.transform(rows)
        widths.add(given.shape[1])
        check(other, rows, given, answer, tmp_path / "model.onnx")
    assert min(widths) < 3


@pytest.mark.parametrize("n_rows", [1, 7])
def test_any_number_of_rows(fitted, new_rows, answer, tmp_path, n_rows):
    selector, rows = fitted("texts"), new_rows(n_rows=n_rows).astype(np.float32)
    to_onnx(selector, tmp_path / "model.onnx", input="all")
    check(selector, rows, rows, answer, tmp_path / "model.onnx")


def test_the_file_says_what_it_holds(fitted, tmp_path):
    selector = fitted("texts")
    to_onnx(selector, tmp_path / "model.onnx")
    model = onnx.load(tmp_path / "model.onnx")
    metadata = {entry.key: entry.value for entry in model.metadata_props}
    assert json.loads(metadata["input_names"]) == selector.get_feature_names_out().tolist()
    assert json.loads(metadata["classes"]) == ["a", "bb", "cçc"]
    assert metadata["ipcae_version"] == model.producer_version
    assert [i.name for i in model.graph.input] == ["X"]
    to_onnx(fitted("none"), tmp_path / "rows.onnx", input="all")
    metadata = {e.key: e.value for e in onnx.load(tmp_path / "rows.onnx").metadata_props}
    assert json.loads(metadata["output_names"]) == [f"x{i}" for i in range(6)]


def test_it_runs_where_there_is_no_ipcae_and_no_torch(fitted, new_rows, tmp_path):
    selector, rows = fitted("number"), new_rows(n_rows=5).astype(np.float32)
    to_onnx(selector, tmp_path / "model.onnx", input="all")
    np.save(tmp_path / "rows.npy", rows)
    code = (
        "import sys, numpy as np; sys.modules['torch'] = sys.modules['ipcae'] = None\n"
        "import onnxruntime as ort\n"
        "session = ort.InferenceSession('model.onnx', providers=['CPUExecutionProvider'])\n"
        "print(session.run(None, {'X': np.load('rows.npy')})[0].tolist())"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    np.testing.assert_allclose(json.loads(done.stdout), selector.predict(rows), rtol=1e-5)


def test_what_is_refused(fitted, tmp_path):
    selector, path = fitted("number"), tmp_path / "model.onnx"
    with pytest.raises(NotFittedError):
        to_onnx(RegressionSelector(2), path)
    with pytest.raises(InputError, match="input='some' is not understood"):
        to_onnx(selector, path, input="some")
    with pytest.raises(InputError, match="dtype='int8' is not understood"):
        to_onnx(selector, path, dtype="int8")
    with pytest.raises(InputError, match="there is no folder"):
        to_onnx(selector, tmp_path / "missing" / "model.onnx")
    with pytest.raises(InputError, match="is a folder"):
        to_onnx(selector, tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_a_decoder_of_another_kind_is_refused(tmp_path):
    class Own:
        init = staticmethod(linear_decoder().init)
        apply = staticmethod(linear_decoder().apply)

    rows = np.random.default_rng(0).normal(size=(40, 4))
    selector = RegressionSelector(2, max_epochs=1, decoder=Own()).fit(rows, rows[:, 0])
    with pytest.raises(InputError, match="cannot be exported: expected an Mlp"):
        to_onnx(selector, tmp_path / "model.onnx")


@pytest.mark.parametrize("missing", ["onnx", "onnxscript"])
def test_a_missing_package_is_named(fitted, tmp_path, monkeypatch, missing):
    monkeypatch.setitem(sys.modules, missing, None)
    decoder = "own" if missing == "onnxscript" else "linear"
    with pytest.raises(ModuleNotFoundError, match=rf"needs {missing}: pip install"):
        to_onnx(fitted("number", decoder), tmp_path / "model.onnx")
