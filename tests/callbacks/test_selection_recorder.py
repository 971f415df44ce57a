"""The callback that records the selection distributions."""

import copy

import numpy as np
import pytest

from ipcae import InputError, ReconstructionSelector
from ipcae.callbacks import EpochReport, SelectionRecorder

X = np.random.default_rng(0).normal(size=(40, 6))


def fitted(recorder, **settings):
    quick = {"method": "ip-cae", "max_epochs": 10, "decoder": (8,), "random_state": 0, "n_runs": 2}
    return ReconstructionSelector(2, callbacks=[recorder], **quick | settings).fit(X)


def test_the_frames_are_distributions_and_the_last_one_selects():
    recorder = SelectionRecorder(run=1)
    selector = fitted(recorder, unique=False)
    frames = recorder.distributions
    assert frames.shape == (10, 2, 6)
    assert frames.dtype == np.float16
    assert recorder.epochs == list(range(10))
    np.testing.assert_allclose(frames.astype(float).sum(-1), 1, atol=5e-3)
    best = selector.best_epoch_[1]
    assert frames[best].argmax(-1).tolist() == selector.selections_[1].chosen.tolist()


def test_the_number_of_frames_is_bounded():
    recorder = SelectionRecorder(n_frames=3)
    fitted(recorder)
    assert recorder.epochs == [0, 4, 8, 9]


def test_a_new_fit_resets_the_recorder_and_a_copy_is_independent():
    recorder = SelectionRecorder(n_frames=2)
    fitted(recorder)
    twin = copy.deepcopy(recorder)
    fitted(recorder, max_epochs=4)
    assert recorder.epochs == [0, 2, 3]
    assert twin.epochs == [0, 5, 9]


def test_an_empty_recorder_raises_an_error():
    with pytest.raises(InputError, match="callbacks=recorder"):
        SelectionRecorder().distributions  # noqa: B018
    recorder = SelectionRecorder(run=7)
    fitted(recorder)
    assert recorder.epochs == []


def test_a_model_without_distributions_is_refused():
    report = EpochReport(0, 5, {}, 1, model=object(), runs=(0,))
    with pytest.raises(InputError, match="no distributions"):
        SelectionRecorder()(report)


@pytest.mark.parametrize("settings", [{"n_frames": 0}, {"run": -1}])
def test_impossible_recorders_are_refused(settings):
    with pytest.raises(InputError, match="cannot record"):
        SelectionRecorder(**settings)
