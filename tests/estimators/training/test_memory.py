"""The memory of a fit: estimated before, measured after, and bounded."""

import csv
import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import torch
from sklearn.base import clone

from ipcae import ClassificationSelector, ReconstructionSelector, RegressionSelector, paper_settings
from ipcae.decoders import Mlp
from ipcae.errors import InputError, TrainingWarning
from ipcae.estimators.one_fit import memory
from ipcae.estimators.one_fit.memory import Sizes, estimate
from ipcae.ops.concrete_select.kept_weights import kept_bytes
from ipcae.parametrizations import Full
from ipcae.selectors import Concrete, Shape

MEASURE = """
import ctypes, json, sys
import numpy as np
from ipcae import ClassificationSelector, ReconstructionSelector

GROUPS = np.repeat(np.arange(2000), 10).tolist()

def status(name):
    for line in open("/proc/self/status"):
        if line.startswith(name):
            return int(line.split()[1]) * 1024

def fit(kind, n_rows, n_features, n_selected, **settings):
    X = np.random.default_rng(0).standard_normal((n_rows, n_features), dtype=np.float32)
    y = np.arange(n_rows) % 3
    common = dict(max_epochs=1, fine_tune=False, device="cpu", random_state=0)
    selector = kind(n_selected, method="ip-cae", **common, **settings)
    ctypes.CDLL(None).malloc_trim(0)
    ctypes.CDLL(None).prctl(41, 1, 0, 0, 0)  # no huge pages, which are counted whole
    open("/proc/self/clear_refs", "w").write("5")  # forget the peak so far
    before = status("VmRSS")
    selector.fit(X, y)
    peak = status("VmHWM") - before
    classes = dict(n_outputs=3) if kind is ClassificationSelector else {}
    return peak, selector.estimate_memory(n_rows, n_features, dtype="float32", **classes).total

fit(ClassificationSelector, 50, 30, 2)
print(json.dumps([
    fit(ClassificationSelector, 4000, 5000, 10, batch_size=512),
    fit(ReconstructionSelector, 500, 4000, 30, n_runs=4, batch_size=200),
    fit(ClassificationSelector, 300, 20_000, 150, batch_size=240),
    fit(ClassificationSelector, 30, 20_000, 150, batch_size=24, noise_draws="row"),
    fit(ClassificationSelector, 600, 20_000, 40, batch_size=500, feature_groups=GROUPS),
]))
"""


@pytest.mark.skipif(sys.platform != "linux", reason="the peak is read from /proc")
def test_the_estimate_is_near_the_peak():
    # What is alive, without what malloc keeps for later, which differs from run to run.
    frugal = {"MALLOC_MMAP_THRESHOLD_": "65536", "MALLOC_TRIM_THRESHOLD_": "65536"}
    done = subprocess.run(
        [sys.executable, "-c", MEASURE],
        capture_output=True,
        text=True,
        check=False,
        env=os.environ | frugal,
    )
    assert done.returncode == 0, done.stderr
    for peak, estimated in json.loads(done.stdout):
        assert estimated == pytest.approx(peak, rel=0.25)


def measured_on_a_gpu():
    with (Path(__file__).parents[3] / "benchmarks" / "train_gpu.csv").open() as file:
        rows = [row for row in csv.DictReader(file) if row["question"].endswith(" memory")]
    return [row for row in rows if row["implementation"] == "ipcae"]


@pytest.mark.parametrize("row", measured_on_a_gpu(), ids=lambda row: row["question"])
def test_the_estimate_is_near_what_was_measured_on_a_gpu(row):
    sizes = {name: int(row[name]) for name in ("runs", "rows", "features", "nodes", "embedding")}
    draws = row["draws"] if row["draws"] == "row" else int(row["draws"])
    selector = Concrete(Full(size=sizes["embedding"]), noise_draws=draws)
    # Rows before there was a column for it: ten classes, as many validation rows as a batch has.
    n_outputs, n_validation = (
        int(row.get("outputs") or 10),
        int(row.get("validation") or row["rows"]),
    )
    n_steps = 16 if sizes["features"] < 10**5 else 2  # as in benchmarks/train_gpu.py
    fit = Sizes(
        Shape(Mlp(), sizes["features"], sizes["nodes"], n_outputs),
        n_train=n_steps * sizes["rows"],
        n_validation=n_validation,
        n_runs=sizes["runs"],
        batch_size=sizes["rows"],
        itemsize=4,
    )
    # The rows were measured when no weights were kept for the backward pass.
    kept = kept_bytes(*(sizes[name] for name in ("runs", "rows", "nodes", "features")))
    whole = estimate(selector, fit, torch.device("cuda")).total
    estimated = whole - kept if draws == "row" else whole
    assert estimated / 1e6 == pytest.approx(float(row["median"]), rel=0.25)


@pytest.mark.parametrize(
    "selector", [ClassificationSelector, ReconstructionSelector, RegressionSelector]
)
@pytest.mark.parametrize("method", ["ip-cae", "cae", "subset", "stg", "lassonet"])
def test_every_method_has_an_estimate_that_grows_with_the_runs(selector, method):
    one = selector(5, method=method, device="cpu").estimate_memory(1000, 400)
    ten = selector(5, method=method, n_runs=10, device="cpu").estimate_memory(1000, 400)
    assert ten.parameters == 10 * one.parameters > 0
    assert ten.activations > one.activations > 0


def test_a_square_map_of_many_features_is_seen_beforehand():
    settings = paper_settings()
    paper = ClassificationSelector(50, device="cpu", **settings).estimate_memory(500, 100_000, 2)
    usual = ClassificationSelector(50, method="ip-cae", device="cpu").estimate_memory(
        500, 100_000, 2
    )
    assert paper.parameters > 4 * 100_000**2
    assert usual.total < 2 * 10**9
    assert "GB on cpu: rows" in repr(paper)


def test_a_fit_that_needs_more_than_the_free_memory_warns_first(monkeypatch):
    monkeypatch.setattr(memory, "free_bytes", lambda device: 1000)
    X = np.random.default_rng(0).standard_normal((40, 6))
    with pytest.warns(TrainingWarning, match=r"needs about .* are free .*Full\(size='auto'\)"):
        ReconstructionSelector(2, method="ip-cae", max_epochs=1, device="cpu").fit(X)


def test_an_invalid_shape_is_refused():
    with pytest.raises(InputError, match="n_rows=0"):
        ReconstructionSelector(2).estimate_memory(0, 10)


def test_a_gpu_looks_at_many_validation_rows_and_outputs_too():
    def activations(n_validation):
        shape = Shape(Mlp(), 5000, 50, 5000)
        sizes = Sizes(shape, 8000, n_validation, n_runs=10, batch_size=128, itemsize=4)
        return estimate(Concrete(Full(size=128)), sizes, torch.device("cuda")).activations

    few, many, more = (activations(n) for n in (128, 1500, 10**6))
    assert few < many < more
    assert more < 3 * many  # from some number on they are looked at in parts


def test_groups_of_columns_have_few_logits_but_are_gathered():
    settings = {"decoder": Mlp((8,)), "batch_size": 128, "device": "cpu"}
    alone = ClassificationSelector(20, method="ip-cae", **settings)
    grouped = clone(alone).set_params(feature_groups=np.repeat(np.arange(100), 50).tolist())
    of_columns, of_groups = (s.estimate_memory(400, 5000, 3) for s in (alone, grouped))
    assert of_groups.parameters < of_columns.parameters / 3
    assert of_groups.activations > 3 * 128 * 5000 * 4


def test_groups_by_name_need_the_names():
    selector = ClassificationSelector(1, method="ip-cae", feature_groups={"xyz": ["x", "y"]})
    assert selector.estimate_memory(100, 3, feature_names=["x", "y", "z"]).total > 0
    with pytest.raises(InputError, match="x"):
        selector.estimate_memory(100, 3)
    with pytest.raises(InputError, match="2 names for 3 columns"):
        selector.estimate_memory(100, 3, feature_names=["x", "y"])


@pytest.mark.parametrize("method", ["ip-cae", "subset", "shortlist", "stg", "anova"])
def test_every_kind_of_method_has_an_estimate_for_groups(method):
    groups = [[0, 1, 2], [5, 6]]
    selector = ClassificationSelector(3, method=method, feature_groups=groups, device="cpu")
    assert selector.estimate_memory(100, 20, 2).total > 0
