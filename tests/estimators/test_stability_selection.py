"""Selections from subsamples of the rows."""

import re
import signal
from pathlib import Path

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from ipcae import (
    ClassificationSelector,
    InputError,
    ReconstructionSelector,
    StabilitySelection,
    TrainingWarning,
    load,
)
from ipcae.estimators.stability_selection import complementary_halves
from ipcae.evaluation.stability import stability_index

PAGE = Path(__file__).resolve().parents[2] / "docs" / "how-to" / "stability.md"
BLOCKS = re.findall(
    r"^```python\n(.*?)^```", PAGE.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL
)


@pytest.fixture
def ranking():
    return ClassificationSelector(2, method="anova", max_epochs=4, decoder=(8,), random_state=0)


def test_the_columns_that_decide_are_stable(ranking, X, classes):
    stability = StabilitySelection(ranking, n_subsamples=20).fit(X, classes)
    assert stability.frequency_[[1, 4]].min() >= 0.9
    assert stability.stable_.nonzero()[0].tolist() == [1, 4]
    assert set(stability.consensus_) == {1, 4}
    assert stability.get_support(indices=True).tolist() == [1, 4]
    assert stability.stability_.low > 0.6
    assert stability.predict(X).shape == classes.shape
    assert stability.score(X, classes) == stability.selector_.score(X, classes)


def test_noise_is_not_stable(ranking):
    random = np.random.default_rng(0)
    X, y = random.normal(size=(60, 200)), random.integers(0, 2, 60)
    stability = StabilitySelection(ranking, n_subsamples=20).fit(X, y)
    assert stability.stability_.value < 0.4
    assert stability.stable_.sum() <= 1
    assert stability.expected_false_ == pytest.approx(2**2 / (0.5 * 200))
    assert len(stability.consensus_) == 2


def test_copies_of_a_column_are_a_cluster(ranking, X, classes):
    twice = np.c_[X, X[:, 1] + 0.01 * X[:, 0]]
    stability = StabilitySelection(ranking, n_subsamples=10).fit(twice, classes)
    assert stability.clusters_ == [[1, 6]]


def test_networks_are_trained_on_all_subsamples_at_once(X, classes):
    calls = []
    selector = ClassificationSelector(
        2,
        method="ip-cae",
        max_epochs=15,
        learning_rate=1e-2,
        decoder=(8,),
        random_state=0,
        callbacks=lambda report: calls.append((report.phase, report.n_active)),
    )
    stability = StabilitySelection(selector, n_subsamples=10).fit(X, classes)
    assert calls[0] == ("selecting", 10)
    assert set(stability.consensus_) == {1, 4}
    again = StabilitySelection(clone(selector), n_subsamples=10).fit(X, classes)
    np.testing.assert_array_equal(again.selected_, stability.selected_)


@pytest.mark.parametrize("strata", [None, np.repeat([0, 1, 2], [41, 9, 1])])
def test_subsamples_come_in_pairs_without_common_rows(strata):
    halves = complementary_halves(51, 6, strata, seed=3)
    assert [len(half) for half in halves] == [25] * 6
    for one, other in zip(halves[::2], halves[1::2], strict=True):
        assert not np.intersect1d(one, other).size
    assert len({tuple(half) for half in halves}) == 6
    if strata is not None:
        for half in halves:
            assert (strata[half] == 1).sum() in (4, 5)


def test_random_selections_have_index_zero_and_the_interval_covers_it():
    random = np.random.default_rng(0)
    inside, values = [], []
    for _ in range(200):
        selected = np.stack([random.permutation(30) < 6 for _ in range(25)])
        index = stability_index(selected)
        values.append(index.value)
        inside.append(index.low <= 0 <= index.high)
    assert np.mean(values) == pytest.approx(0, abs=0.01)
    assert np.mean(inside) > 0.85


def test_the_index_is_that_of_the_paper():
    """One minus the mean variance over that of random selections, computed by hand."""
    selected = np.array([[1, 1, 0, 0], [1, 0, 1, 0], [1, 1, 0, 0]], dtype=bool)
    p = selected.mean(0)
    variance = (3 / 2 * p * (1 - p)).mean()
    assert stability_index(selected).value == pytest.approx(1 - variance / (0.5 * 0.5))


def test_it_works_in_pipelines_and_saves(ranking, X, classes, tmp_path):
    stability = StabilitySelection(ranking, n_subsamples=4)
    pipeline = make_pipeline(StandardScaler(), stability).fit(X, classes)
    pipeline[-1].save(tmp_path / "model.safetensors")
    again = load(tmp_path / "model.safetensors")
    scaled = pipeline[0].transform(X)
    np.testing.assert_array_equal(again.predict(scaled), pipeline.predict(X))
    np.testing.assert_array_equal(again.frequency_, pipeline[-1].frequency_)


def test_columns_to_reconstruct_from(X):
    selector = ReconstructionSelector(3, method="pivoted-qr", max_epochs=2, random_state=0)
    assert StabilitySelection(selector, n_subsamples=4).fit(X).reconstruct(X).shape == X.shape


def test_ctrl_c_keeps_the_selections_so_far(X, classes):
    epochs = []

    def interrupt(report):
        epochs.append(report.epoch)
        if len(epochs) == 3:
            signal.raise_signal(signal.SIGINT)

    selector = ClassificationSelector(
        2, max_epochs=40, decoder=(8,), random_state=0, callbacks=interrupt
    )
    with pytest.warns(TrainingWarning, match="interrupted"):
        stability = StabilitySelection(selector, n_subsamples=4).fit(X, classes)
    assert stability.selected_.shape == (4, 6)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"n_subsamples": 5}, "is odd"),
        ({"n_subsamples": 0}, "expected a positive integer"),
        ({"threshold": 0.5}, "more than 0.5"),
    ],
)
def test_mistakes_are_answered_before_any_training(settings, message, ranking, X, classes):
    with pytest.raises(InputError, match=message):
        StabilitySelection(ranking, **settings).fit(X, classes)


def test_the_blocks_of_the_page_run_in_order(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    names = {}
    for block in BLOCKS:
        exec(compile(block, PAGE.name, "exec"), names)
    assert len(names["stability"].consensus_) == 5
    assert names["stability"].clusters_
    assert (tmp_path / "frequency.png").read_bytes().startswith(b"\x89PNG")


def test_the_progress_of_a_ranking_knows_the_rest(ranking, X, classes, capsys):
    StabilitySelection(ranking, n_subsamples=20, verbose=1).fit(X, classes)
    said = capsys.readouterr().err
    assert "ranking      10/20" in said
    assert "left" in said.partition("10/20")[2].splitlines()[0]
