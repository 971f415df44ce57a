"""Losses that compare rows, count or have two objectives are traced without changing a bit."""

import numpy as np
import pytest

from ipcae import PanelSelector, ReconstructionSelector, SurvivalSelector
from ipcae.training.epochs import traced

FAST = {"max_epochs": 4, "batch_size": 32, "n_runs": 2, "decoder": (8,), "random_state": 0}
X = np.random.default_rng(0).normal(size=(80, 5))
COUNTS = np.random.default_rng(1).poisson(np.exp(X / 2)).astype(float)
TIMES = np.random.default_rng(2).exponential(np.exp(X[:, 2])).round(1)


def survival():
    return SurvivalSelector(2, **FAST).fit(X, np.column_stack([TIMES, TIMES < 2])).predict(X)


def panel():
    return PanelSelector(2, **FAST).fit(X, X[:, 0] > 0).predict_proba(X)


def counts():
    return (
        ReconstructionSelector(2, loss="negative_binomial", **FAST).fit(COUNTS).reconstruct(COUNTS)
    )


@pytest.mark.parametrize("predictions", [survival, panel, counts])
def test_traced_steps_are_the_same_bit_for_bit(predictions, monkeypatch, caplog):
    caplog.set_level("INFO", logger="ipcae")
    monkeypatch.setattr(traced, "_LONG", 10**9)
    plain = predictions()
    monkeypatch.setattr(traced, "_LONG", 1)
    monkeypatch.setattr(traced, "_PLAIN", 1)
    np.testing.assert_array_equal(predictions(), plain)
    assert "without tracing" not in caplog.text
