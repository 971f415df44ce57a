"""What is loaded is what was saved."""

import sys

import numpy as np
import pytest
import torch
from safetensors import safe_open
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from torch import nn

from ipcae import (
    ClassificationSelector,
    Concrete,
    Constant,
    Cosine,
    Diagonal,
    Direct,
    Exponential,
    Full,
    Gjsd,
    InputError,
    Linear,
    Mlp,
    MlpLogits,
    ReconstructionSelector,
    RegressionSelector,
    Scalar,
    Separate,
    Warmup,
    paper_settings,
)
from ipcae.estimators import load
from ipcae.feature_table import FeatureTable
from ipcae.files import save, to_bytes
from ipcae.losses import Huber, SquaredError
from ipcae.plots import plot_training
from ipcae.tasks import Classification

TARGETS = [
    *("integers", "small integers", "floats", "truth", "texts", "wide texts", "object texts"),
    *("several labels", "number", "several numbers", "none"),
]

SETTINGS = {
    "names": {"method": "cae", "decoder": "linear", "schedule": "cosine", "loss": "huber"},
    "numbers of NumPy": {
        "n_features_to_select": np.int64(2),
        "learning_rate": np.array([1e-3, 1e-2]),
        "weight_decay": np.float32(0.1),
        "n_runs": 2,
    },
    "lists": {"learning_rate": [1e-3, 1e-2], "n_runs": 2, "decoder": [4, 4]},
    "parts": {
        "method": Concrete(
            Full(size=4), temperature=Exponential(5.0, 0.1), regularizer=Gjsd((0.1, 0.2))
        ),
        "decoder": Mlp((4, 4), 0.1, slope=0.1, normalize=False, noise=0.1, skip=True, mixup=0.2),
        "loss": Huber(0.5),
        "schedule": Warmup(fraction=0.25),
        "n_runs": 2,
    },
    "paper": paper_settings("cae", batch_size=16, gjsd_weight=0.05) | {"max_epochs": 2},
    "device": {"device": torch.device("cpu"), "validation_fraction": None, "scale": "minmax"},
    "random state": {"random_state": np.random.RandomState(3)},
}

PARTS = [
    *({"method": Concrete(p)} for p in (Direct(), Full(), Diagonal(), Scalar(bias=False))),
    *({"method": Concrete(p)} for p in (Separate(size=3), MlpLogits(hidden=5))),
    {"method": Concrete(temperature=Linear(10.0, 0.1), noise_draws="row", straight_through=True)},
    {"method": Concrete(temperature=Constant(0.5)), "schedule": Cosine(warmup=0.5)},
    {"loss": SquaredError()},
]


def saved_and_loaded(selector, folder):
    save(selector, folder / "model.safetensors")
    return load(folder / "model.safetensors")


@pytest.mark.parametrize("target", TARGETS)
def test_every_kind_of_target(fitted, alike, tmp_path, target):
    selector = fitted(target, n_runs=2)
    alike(saved_and_loaded(selector, tmp_path), selector)


@pytest.mark.parametrize("settings", SETTINGS.values(), ids=SETTINGS.keys())
def test_every_kind_of_setting(fitted, alike, tmp_path, settings):
    selector = fitted("number", **settings)
    again = saved_and_loaded(selector, tmp_path)
    if "random_state" in settings:
        assert again.random_state.random(5).tolist() == selector.random_state.random(5).tolist()
        again.random_state = selector.random_state
    alike(again, selector)


@pytest.mark.parametrize("settings", PARTS, ids=repr)
def test_every_part(fitted, alike, tmp_path, settings):
    selector = fitted("number", **settings)
    alike(saved_and_loaded(selector, tmp_path), selector)


def test_names_of_columns_and_the_form_of_the_output(fitted, alike, frame, tmp_path):
    selector = fitted("texts", frame).set_output(transform="pandas")
    again = saved_and_loaded(selector, tmp_path)
    alike(again, selector)
    assert list(again.transform(frame).columns) == list(selector.get_feature_names_out())
    first = selector.get_feature_names_out()[0]
    with pytest.raises(ValueError, match=f"X lacks 1 .*: {first}"):
        again.predict(frame.rename(columns={first: "other"}))


def test_the_chosen_run_and_the_others(fitted, alike, tmp_path):
    selector = fitted("texts", n_runs=3).with_run(1)
    again = saved_and_loaded(selector, tmp_path)
    assert again.best_run_ == 1
    alike(again.with_run(2), selector.with_run(2))


def test_a_loaded_selector_can_be_ranked_drawn_cloned_and_fitted(fitted, rows, targets, tmp_path):
    selector = fitted("number")
    again = saved_and_loaded(selector, tmp_path)
    assert FeatureTable.of(again).names == FeatureTable.of(selector).names
    plot_training(again.history_, again.best_run_)
    refitted = clone(again).fit(rows, targets["number"])
    np.testing.assert_array_equal(refitted.predict(rows), selector.predict(rows))
    again.params_["decoder.0.weight"] += 1
    again.validation_loss_ += 1


def test_the_same_selector_gives_the_same_bytes(fitted, tmp_path):
    selector = fitted("texts")
    assert to_bytes(selector) == to_bytes(selector)
    assert to_bytes(saved_and_loaded(selector, tmp_path)) == to_bytes(selector)


def test_other_programs_can_read_the_tensors(fitted, tmp_path):
    selector = fitted("texts")
    save(selector, tmp_path / "model.safetensors")
    with safe_open(tmp_path / "model.safetensors", framework="pt") as file:
        for name, tensor in selector.params_.items():
            torch.testing.assert_close(file.get_tensor(f"params_.{name}"), tensor)
        assert file.metadata()["format"] == "ipcae selector"


def test_numbers_that_are_not_finite_and_arrays_that_are_empty(fitted, alike, tmp_path):
    selector = fitted("number", n_runs=2)
    selector.best_run_, selector.validation_loss_ = 1, np.array([np.inf, 0.5])
    selector.history_ = {name: column[:0] for name, column in selector.history_.items()}
    selector.fit_seconds_ = float("nan")
    alike(saved_and_loaded(selector, tmp_path), selector)


def test_without_safetensors_it_says_what_to_install(fitted, tmp_path, monkeypatch):
    save(fitted("number"), tmp_path / "model.safetensors")
    monkeypatch.setitem(sys.modules, "safetensors", None)
    for work in (lambda: to_bytes(fitted("number")), lambda: load(tmp_path / "model.safetensors")):
        with pytest.raises(ModuleNotFoundError, match=r"safetensors: pip install 'ipcae\[files\]'"):
            work()


def own_network(n_inputs, n_outputs):
    return nn.Linear(n_inputs, n_outputs)


def own_loss(outputs, targets):
    return (outputs - targets).abs().mean(-1)


class OwnMlp(Mlp):
    pass


class OwnSelector(RegressionSelector):
    pass


CODE = {
    "decoder": own_network,
    "loss": own_loss,
    "schedule": lambda progress: 1.0,
    "method": Concrete(temperature=lambda progress: 1.0),
}


@pytest.mark.parametrize(("name", "value"), CODE.items(), ids=CODE.keys())
def test_code_is_refused_before_anything_is_written(fitted, tmp_path, name, value):
    path = tmp_path / "model.safetensors"
    path.write_text("before")
    with pytest.raises(InputError, match=rf"^{name} cannot be saved: .* pickle or joblib"):
        save(fitted("number", **{name: value}), path)
    assert path.read_text() == "before"
    assert list(tmp_path.iterdir()) == [path]


def test_a_class_of_the_user_is_refused(fitted, rows, targets, tmp_path):
    with pytest.raises(InputError, match="decoder cannot be saved"):
        save(fitted("number", decoder=OwnMlp((4,))), tmp_path / "model.safetensors")
    selector = OwnSelector(2, max_epochs=1).fit(rows, targets["number"])
    with pytest.raises(InputError, match="OwnSelector is not a class of ipcae"):
        save(selector, tmp_path / "model.safetensors")


def test_an_unusual_class_is_refused(rows, tmp_path):
    days = np.array(["2020-01-01", "2020-01-02"], dtype="datetime64[D]")
    selector = ClassificationSelector(2, max_epochs=1, decoder="linear").fit(rows, rows[:, 0] > 0)
    selector.task_ = Classification(days)
    with pytest.raises(InputError, match="task_ cannot be saved: an array of datetime64"):
        save(selector, tmp_path / "model.safetensors")


def test_an_unfitted_selector_is_refused(tmp_path):
    with pytest.raises(NotFittedError):
        save(RegressionSelector(2), tmp_path / "model.safetensors")


def test_a_place_that_cannot_be_written(fitted, tmp_path):
    selector = fitted("number")
    with pytest.raises(InputError, match="is a folder"):
        save(selector, tmp_path)
    with pytest.raises(InputError, match="there is no folder"):
        save(selector, tmp_path / "missing" / "model.safetensors")


def test_a_failed_write_leaves_the_old_file(fitted, alike, tmp_path, monkeypatch):
    old, path = fitted("number"), tmp_path / "model.safetensors"
    save(old, path)

    def full(*arguments):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("ipcae.filesystem.atomic.os.replace", full)
    with pytest.raises(OSError, match="No space"):
        save(fitted("texts"), path)
    assert list(tmp_path.iterdir()) == [path]
    alike(load(path), old)


def test_the_folder_of_a_checkpoint_is_not_kept(tmp_path):
    X = np.random.default_rng(0).normal(size=(40, 5))
    quick = {"max_epochs": 2, "decoder": (8,), "random_state": 0}
    selector = ReconstructionSelector(2, checkpoint=tmp_path / "states", **quick).fit(X)
    selector.set_params(resume=True).save(tmp_path / "a.safetensors")
    again = load(tmp_path / "a.safetensors")
    assert again.checkpoint is None
    assert again.resume is False
    np.testing.assert_array_equal(again.reconstruct(X), selector.reconstruct(X))
