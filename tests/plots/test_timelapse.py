"""The selection as an animated GIF."""

import itertools

import numpy as np
import pytest
from PIL import Image

from ipcae import InputError, ReconstructionSelector
from ipcae.callbacks import SelectionRecorder
from ipcae.plots import selection_timelapse

X = np.random.default_rng(0).normal(size=(40, 12))


@pytest.fixture(scope="module")
def recorder():
    recorder = SelectionRecorder(n_frames=4)
    ReconstructionSelector(
        3,
        method="ip-cae",
        max_epochs=8,
        decoder=(8,),
        learning_rate=0.05,
        random_state=0,
        callbacks=recorder,
    ).fit(X)
    return recorder


def frames_of(path):
    with Image.open(path) as gif:
        for number in range(gif.n_frames):
            gif.seek(number)
            yield np.asarray(gif.convert("RGB")).astype(int), gif.info["duration"]


@pytest.mark.parametrize("options", [{"grid": (3, 4)}, {}, {"names": list("abcdefghijkl")}])
def test_every_recorded_epoch_is_a_frame_and_the_last_one_stays(recorder, tmp_path, options):
    path = selection_timelapse(recorder, tmp_path / "a.gif", dpi=40, **options)
    pictures, durations = zip(*frames_of(path), strict=True)
    assert len(pictures) == len(recorder.epochs) == 5
    assert durations == (100, 100, 100, 100, 2500)
    for before, after in itertools.pairwise(pictures):
        assert before.shape == after.shape
        assert (before != after).any()
    assert [file.name for file in tmp_path.iterdir()] == ["a.gif"]


def test_the_chosen_pixel_is_the_dark_one(tmp_path):
    recorder = SelectionRecorder()
    recorder.epochs = [0]
    recorder._frames = [np.eye(1, 4, k=3, dtype=np.float16)]
    path = selection_timelapse(recorder, tmp_path / "a.gif", grid=(2, 2))
    ((picture, _),) = frames_of(path)
    height, width = picture.shape[:2]
    # In the middle of the upper left and of the lower right pixel.
    light = picture[height * 3 // 10, width * 3 // 10]
    dark = picture[height * 7 // 10, width * 7 // 10]
    assert light.min() > 230
    assert dark.max() < 130


def test_a_grid_that_does_not_fit_is_refused(recorder, tmp_path):
    with pytest.raises(InputError, match="does not fit 12 features"):
        selection_timelapse(recorder, tmp_path / "a.gif", grid=(5, 5))


def test_an_empty_recorder_raises_an_error(tmp_path):
    with pytest.raises(InputError, match="Nothing was recorded"):
        selection_timelapse(SelectionRecorder(), tmp_path / "a.gif")
    assert list(tmp_path.iterdir()) == []


def test_names_are_drawn_as_they_are(recorder, tmp_path):
    names = ["spend_$_per_$_earned", "$\\frac{$", *(f"${i}$" for i in range(10))]
    assert selection_timelapse(recorder, tmp_path / "names.gif", names=names).exists()
