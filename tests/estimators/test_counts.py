"""Reconstruction of counts: Poisson and negative binomial deviances, totals as offsets."""

import numpy as np
import onnxruntime
import pytest
import torch
from sklearn.metrics import d2_tweedie_score, mean_poisson_deviance

from ipcae import InputError, ReconstructionSelector, load
from ipcae.losses import Hurdle, NegativeBinomial, Poisson

FAST = {"max_epochs": 40, "decoder": (32,), "random_state": 0}


@pytest.fixture(scope="module")
def counts():
    """Return counts of two programs of genes, 0 to 3 and 4 to 7, with totals that vary fivefold."""
    random = np.random.default_rng(0)
    programs = random.gamma(1.0, size=(300, 2)).repeat(4, axis=1)
    depth = random.uniform(1, 5, size=(300, 1))
    return random.poisson(depth * (0.2 + 3 * programs)).astype(float)


@pytest.fixture(scope="module", params=["poisson", "negative_binomial", "hurdle"])
def fitted(request, counts):
    return ReconstructionSelector(2, loss=request.param, **FAST).fit(counts)


def test_one_gene_of_every_program_is_selected(fitted, counts):
    first, second = fitted.get_support(indices=True)
    assert first < 4 <= second
    assert fitted.score(counts) > (0.05 if fitted.loss == "hurdle" else 0.4)
    assert np.isfinite(fitted.validation_loss_).all()


def test_the_poisson_deviance_is_that_of_scikit_learn():
    random = np.random.default_rng(0)
    x, expected = random.poisson(3, size=(20, 4)), random.uniform(1, 5, size=(20, 4))
    ratio = random.normal(size=(20, 4)) / 2
    targets = torch.tensor(np.hstack([x, expected]))
    loss = Poisson().per_row(torch.tensor(ratio)[None], targets).mean().item()
    true = mean_poisson_deviance(x.ravel(), (expected * np.exp(ratio)).ravel()) / 2
    assert loss == pytest.approx(true, rel=1e-12)


def test_the_negative_binomial_deviance_is_that_of_its_likelihood():
    from scipy.stats import nbinom

    x, mean, size = np.array([0.0, 1.0, 5.0]), np.array([0.5, 2.0, 3.0]), 1 / 0.4
    targets = torch.tensor(np.hstack([x, mean]))[None]
    rows = NegativeBinomial(0.4).per_row(torch.zeros(1, 1, 3, dtype=torch.float64), targets)

    def likelihood(mean):
        return nbinom.logpmf(x, size, size / (size + mean)).mean()

    saturated = np.where(x > 0, x, 1e-300)
    assert rows.item() == pytest.approx(likelihood(saturated) - likelihood(mean), rel=1e-9)
    close = NegativeBinomial(1e-6).per_row(torch.zeros(1, 1, 3, dtype=torch.float64), targets)
    poisson = Poisson().per_row(torch.zeros(1, 1, 3, dtype=torch.float64), targets)
    assert close.item() == pytest.approx(poisson.item(), rel=1e-4)


def test_the_score_is_the_explained_deviance(counts):
    selector = ReconstructionSelector(3, loss="poisson", **FAST).fit(counts)
    totals = counts.sum(1, keepdims=True) / selector.task_.mean_total
    predicted = selector.reconstruct(counts) * totals
    expected = selector.task_.means * totals
    deviance = mean_poisson_deviance(counts.ravel(), predicted.ravel())
    null = mean_poisson_deviance(counts.ravel(), expected.ravel())
    assert selector.score(counts) == pytest.approx(1 - deviance / null, rel=1e-5)
    assert d2_tweedie_score(counts.ravel(), predicted.ravel(), power=1) > 0.3


def test_the_dispersion_is_estimated(counts):
    selector = ReconstructionSelector(2, loss="negative_binomial", **FAST).fit(counts)
    assert 0.1 < selector.task_.dispersion < 2
    assert selector.task_.loss_for(selector.loss) == NegativeBinomial(selector.task_.dispersion)
    given = ReconstructionSelector(2, loss=NegativeBinomial(0.7), **{**FAST, "max_epochs": 2})
    assert given.fit(counts).task_.dispersion == 0.7


def test_it_is_saved_exported_and_reported(fitted, counts, tmp_path):
    fitted.save(tmp_path / "counts.safetensors")
    again = load(tmp_path / "counts.safetensors")
    expected = fitted.reconstruct(counts)
    np.testing.assert_array_equal(again.reconstruct(counts), expected)
    assert (expected >= 0).all()
    fitted.to_onnx(tmp_path / "counts.onnx", "all", dtype="float64")
    session = onnxruntime.InferenceSession(tmp_path / "counts.onnx")
    np.testing.assert_allclose(session.run(None, {"X": counts})[0], expected, rtol=1e-4)
    np.testing.assert_allclose(
        fitted.to_torch()(torch.tensor(counts)).detach(), expected, rtol=1e-4
    )
    page = fitted.report(tmp_path / "counts.html", counts).read_text()
    assert "explained deviance" in page


def test_validation_rows_can_be_given(counts):
    selector = ReconstructionSelector(2, loss="poisson", **{**FAST, "max_epochs": 2})
    assert selector.fit(counts[:200], X_val=counts[200:]).get_support().sum() == 2


def test_values_that_are_not_counts_are_refused(counts):
    with pytest.raises(InputError, match=r"X contains \d+\.5, which is not a count"):
        ReconstructionSelector(2, loss="poisson", **FAST).fit(counts + 0.5)
    with pytest.raises(InputError, match="is not positive"):
        NegativeBinomial(0.0)


def test_runs_in_a_batch_equal_runs_alone(counts):
    from ipcae.runs import Stream

    outputs = Stream([0, 1, 2]).normal(7, 8)
    targets = torch.tensor(np.hstack([counts[:7], counts[:7] + 1])).float()
    for loss in (Poisson(), NegativeBinomial(0.3)):
        together = loss.per_row(outputs, targets)
        alone = torch.cat([loss.per_row(run[None], targets) for run in outputs])
        assert torch.equal(together, alone)


def test_the_hurdle_deviance_is_that_of_its_likelihood():
    from scipy.stats import poisson

    random = np.random.default_rng(0)
    x = random.poisson(1, size=(20, 4)).astype(float)
    rate, excess = random.uniform(0.3, 2, size=(2, 20, 4))
    ratio = random.normal(size=(20, 8)) / 2
    targets = torch.tensor(np.hstack([x, rate, excess]))
    loss = Hurdle().per_row(torch.tensor(ratio)[None], targets).mean().item()
    found = 1 - np.exp(-rate * np.exp(ratio[:, :4]))
    mean, rest = excess * np.exp(ratio[:, 4:]), np.maximum(x - 1, 0)
    level = np.where(x > 0, poisson.logpmf(rest, rest) - poisson.logpmf(rest, mean), 0)
    expected = level - np.log(np.where(x > 0, found, 1 - found))
    assert loss == pytest.approx(expected.mean(), rel=1e-9)


def test_a_hurdle_reads_only_what_is_detected(counts):
    selector = ReconstructionSelector(2, loss="hurdle", **{**FAST, "max_epochs": 2}).fit(counts)
    more = np.where(counts > 0, counts + 5, 0)
    np.testing.assert_array_equal(selector.reconstruct(counts), selector.reconstruct(more))
    with pytest.raises(InputError, match="which is not a count"):
        ReconstructionSelector(2, loss="hurdle", **FAST).fit(counts + 0.5)
