"""The paper's protocol, argument by argument."""

import numpy as np
import pytest
import torch

from ipcae import (
    ClassificationSelector,
    Concrete,
    Diagonal,
    Direct,
    Full,
    Gjsd,
    InputError,
    Mlp,
    ReconstructionSelector,
    RegressionSelector,
    Scalar,
    paper_settings,
)
from ipcae.runs import Stream


@pytest.fixture
def short():
    """Return the paper's settings for little data and few epochs."""
    return paper_settings("cae", batch_size=16) | {"max_epochs": 3, "random_state": 0}


@pytest.mark.parametrize("method", ["ip-cae", "cae", "ip-cae-diagonal", "ip-cae-scalar"])
def test_every_method_trains_as_the_paper_did(method):
    settings = paper_settings(method, batch_size=16)
    selector = settings.pop("method")
    decoder = settings.pop("decoder")
    assert settings == {
        "max_epochs": 200,
        "batch_size": 16,
        "learning_rate": 1e-3,
        "schedule": "constant",
        "weight_decay": 0.0,
        "noise_draws": "row",
        "scale": None,
        "fine_tune": False,
        "refit": False,
        "unique": False,
        "early_stopping": False,
        "shuffle": False,
        "drop_last": True,
    }
    # Linear(K, 200), LayerNorm(200), LeakyReLU(0.2), Linear(200, outputs).
    assert decoder == Mlp(hidden=(200,), dropout=0.0, slope=0.2, normalize=True)
    assert selector.regularizer is None
    assert not selector.straight_through
    temperatures = [selector.temperature(epoch / 200) for epoch in range(200)]
    np.testing.assert_allclose(temperatures, 10 * (0.01 / 10) ** (np.arange(200) / 200))


@pytest.mark.parametrize(
    ("method", "parametrization"),
    [
        ("ip-cae", Full(size="features", bias=True)),
        ("cae", Direct()),
        ("ip-cae-diagonal", Diagonal()),
        ("ip-cae-scalar", Scalar()),
    ],
)
def test_the_logits_are_parametrized_as_in_the_paper(method, parametrization):
    assert paper_settings(method)["method"].parametrization == parametrization


def test_the_embedding_is_as_long_as_there_are_features():
    parametrization = paper_settings()["method"].parametrization
    assert parametrization.init(5, 300, Stream([0]))["embedding"].shape == (1, 5, 300)


def test_the_direct_logits_start_as_uniform_numbers_that_sum_to_one():
    direct = paper_settings("cae")["method"].parametrization
    logits = direct.logits(direct.init(5, 300, Stream([0])))
    np.testing.assert_allclose(logits.sum(-1), 1, rtol=1e-5)
    assert logits.min() >= 0


def test_the_batch_size_is_that_of_most_data_sets():
    assert paper_settings()["batch_size"] == 128


@pytest.mark.parametrize("weight", [0.05, (0.0, 0.05, 0.5)])
@pytest.mark.parametrize("method", ["ip-cae", "cae"])
def test_a_diversity_penalty_may_have_one_weight_or_one_per_run(method, weight):
    selector = paper_settings(method, gjsd_weight=weight)["method"]
    assert selector.regularizer == Gjsd(weight)
    assert selector.parametrization == paper_settings(method)["method"].parametrization


def test_every_run_trains_with_its_own_penalty_weight(X, classes, short):
    def fit(n_runs, weight):
        settings = short | {"method": paper_settings("cae", gjsd_weight=weight)["method"]}
        return ClassificationSelector(3, n_runs=n_runs, **settings).fit(X, classes)

    several = fit(2, (0.0, 5.0))
    without, with_penalty = fit(2, 0.0), fit(2, 5.0)
    for run, same in ((0, without), (1, with_penalty)):
        np.testing.assert_array_equal(
            several.with_run(run).predict_proba(X), same.with_run(run).predict_proba(X)
        )
    assert not np.array_equal(
        without.with_run(1).predict_proba(X), with_penalty.with_run(1).predict_proba(X)
    )


def test_a_number_of_weights_other_than_the_runs_is_refused(X, classes, short):
    short |= {"method": paper_settings("cae", gjsd_weight=(0.1, 0.2))["method"]}
    with pytest.raises(InputError, match="2 values of the penalty weight for 3 runs"):
        ClassificationSelector(3, n_runs=3, **short).fit(X, classes)


def test_an_unknown_method_is_refused():
    with pytest.raises(InputError, match="Did you mean 'ip-cae'"):
        paper_settings("ipcae")


def test_a_custom_method_gets_the_same_protocol():
    own = Concrete(Full(size=7))
    assert paper_settings(own) == paper_settings("cae") | {"method": own}


@pytest.mark.parametrize(
    "kind", [ClassificationSelector, RegressionSelector, ReconstructionSelector]
)
def test_every_selector_takes_the_settings(kind, X, classes, short):
    selector = kind(3, n_runs=2, **short).fit(X, classes)
    assert selector.scaler_.kind == "none"
    assert selector.history_["epoch"].max() == 2
    for selection in selector.selections_:
        np.testing.assert_array_equal(selection.chosen, selection.features)


def test_rows_come_in_their_order_and_partial_batches_are_dropped(X, short):
    """In training and in validation, but not in prediction."""
    trained, validated = [], []

    def loss(outputs, targets):
        (trained if outputs.requires_grad else validated).append(targets.clone())
        return (outputs - targets).square().mean(-1)

    X = X.astype(np.float32)
    settings = short | {"max_epochs": 2, "loss": loss}
    selector = ReconstructionSelector(3, **settings).fit(X[:40], X_val=X[40:75])
    rows = torch.from_numpy(X)
    for batch, expected in zip(trained, [rows[:16], rows[16:32]] * 2, strict=True):
        assert torch.equal(batch, expected)
    assert validated
    for batch in validated:
        assert torch.equal(batch, rows[40:72])
    assert selector.reconstruct(X).shape == (80, 6)
