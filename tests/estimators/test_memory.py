"""The memory of a fit: estimated before, measured after, and bounded."""

import json
import subprocess
import sys

import numpy as np
import pytest

from ipcae import ClassificationSelector, ReconstructionSelector, RegressionSelector, paper_settings
from ipcae.errors import InputError, TrainingWarning
from ipcae.estimators import base

MEASURE = """
import ctypes, json, sys
import numpy as np
from ipcae import ClassificationSelector, ReconstructionSelector

def status(name):
    for line in open("/proc/self/status"):
        if line.startswith(name):
            return int(line.split()[1]) * 1024

def fit(kind, n_rows, n_features, n_selected, **settings):
    X = np.random.default_rng(0).standard_normal((n_rows, n_features), dtype=np.float32)
    y = np.arange(n_rows) % 3
    common = dict(max_epochs=1, fine_tune=False, device="cpu", random_state=0)
    selector = kind(n_selected, **common, **settings)
    ctypes.CDLL(None).malloc_trim(0)
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
]))
"""


@pytest.mark.skipif(sys.platform != "linux", reason="the peak is read from /proc")
def test_the_estimate_is_near_the_peak():
    # The peak itself varies by a third from machine to machine, with what malloc keeps.
    done = subprocess.run(
        [sys.executable, "-c", MEASURE], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    for peak, estimated in json.loads(done.stdout):
        assert estimated == pytest.approx(peak, rel=0.5)


@pytest.mark.parametrize(
    "selector", [ClassificationSelector, ReconstructionSelector, RegressionSelector]
)
@pytest.mark.parametrize("method", ["ip-cae", "cae", "stg", "lassonet"])
def test_every_method_has_an_estimate_that_grows_with_the_runs(selector, method):
    one = selector(5, method=method, device="cpu").estimate_memory(1000, 400)
    ten = selector(5, method=method, n_runs=10, device="cpu").estimate_memory(1000, 400)
    assert ten.parameters == 10 * one.parameters > 0
    assert ten.activations > one.activations > 0


def test_a_square_map_of_many_features_is_seen_beforehand():
    settings = paper_settings()
    paper = ClassificationSelector(50, device="cpu", **settings).estimate_memory(500, 100_000, 2)
    usual = ClassificationSelector(50, device="cpu").estimate_memory(500, 100_000, 2)
    assert paper.parameters > 4 * 100_000**2
    assert usual.total < 2 * 10**9
    assert "GB on cpu: rows" in repr(paper)


def test_a_fit_that_needs_more_than_there_is_says_so_at_once(monkeypatch):
    monkeypatch.setattr(base, "free_bytes", lambda device: 1000)
    X = np.random.default_rng(0).standard_normal((40, 6))
    with pytest.warns(TrainingWarning, match=r"needs about .* are free .*Full\(size='auto'\)"):
        ReconstructionSelector(2, max_epochs=1, device="cpu").fit(X)


def test_a_shape_that_is_none_is_refused():
    with pytest.raises(InputError, match="n_rows=0"):
        ReconstructionSelector(2).estimate_memory(0, 10)
