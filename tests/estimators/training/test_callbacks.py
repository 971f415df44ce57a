"""User functions that are called after every epoch."""

import importlib.util
import pickle
import sys

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone

import ipcae
from ipcae import ClassificationSelector, InputError, RegressionSelector


@pytest.fixture
def settings(quick):
    return quick | {"n_runs": 2, "fine_tune": 3}


def test_a_callback_sees_every_epoch_of_both_phases(X, values, settings):
    seen = []
    selector = RegressionSelector(2, callbacks=seen.append, **settings).fit(X, values)
    assert [report.phase for report in seen] == ["selecting"] * 4 + ["fine-tuning"] * 3
    assert [report.epoch for report in seen] == [0, 1, 2, 3, 0, 1, 2]
    assert [report.last for report in seen] == [False] * 3 + [True] + [False] * 2 + [True]
    table = pd.DataFrame(selector.history_).query("metric == 'validation_loss'")
    for epoch, report in enumerate(seen):
        assert report.runs == (0, 1)
        own = table[table.epoch == epoch].value.tolist()
        assert report.per_run["validation_loss"] == own
        assert report.metrics["validation_loss"] == pytest.approx(np.mean(own))


def test_a_callback_can_look_at_the_model(X, values, settings):
    shapes = []

    def look(report):
        if report.phase == "selecting":
            shapes.append(report.model.logits(report.params).shape)

    RegressionSelector(2, callbacks=[look], **settings).fit(X, values)
    assert shapes == [(2, 2, 6)] * 4


def test_looking_changes_nothing(X, values, settings):
    watched = RegressionSelector(2, callbacks=[lambda report: None], **settings).fit(X, values)
    alone = RegressionSelector(2, **settings).fit(X, values)
    np.testing.assert_array_equal(watched.predict(X), alone.predict(X))


def test_true_ends_the_selection_and_the_decoder_is_still_tuned(X, values, settings):
    seen = []

    def enough(report):
        return np.bool_(report.phase == "selecting" and report.epoch == 1)

    callbacks = [enough, seen.append]
    selector = RegressionSelector(2, callbacks=callbacks, **settings).fit(X, values)
    assert selector.run_status_ == ["stopped early"] * 2
    assert [report.epoch for report in seen] == [0, 1, 0, 1, 2]
    # Those that are called later learn of it.
    assert [report.last for report in seen] == [False, True, False, False, True]
    assert np.isfinite(selector.predict(X)).all()


def test_what_else_a_hook_returns_means_nothing(X, values, settings):
    selector = RegressionSelector(2, callbacks=lambda report: "done", **settings).fit(X, values)
    assert selector.run_status_ == ["finished"] * 2


def test_an_ended_training_stays_ended_when_resumed(X, values, settings, tmp_path):
    settings |= {"checkpoint": tmp_path}
    stopped = RegressionSelector(2, callbacks=lambda report: report.epoch == 1, **settings)
    stopped.fit(X, values)
    resumed = RegressionSelector(2, resume=True, **settings).fit(X, values)
    np.testing.assert_array_equal(resumed.predict(X), stopped.predict(X))
    assert resumed.run_status_ == ["stopped early"] * 2


def test_an_error_in_a_callback_is_the_users_to_see(X, values, settings):
    def broken(report):
        raise KeyError("no such tracker")

    with pytest.raises(KeyError, match="no such tracker"):
        RegressionSelector(2, callbacks=broken, **settings).fit(X, values)


@pytest.mark.parametrize("callbacks", ["print", 3, [print, None], [[print]], {}, dict])
def test_callbacks_that_are_not_callable_are_refused_before_training(X, values, callbacks):
    def never(outputs, targets):
        raise AssertionError("training has begun")

    with pytest.raises(InputError, match=r"callbacks.*expected"):
        RegressionSelector(2, loss=never, callbacks=callbacks).fit(X, values)


def report_to_nobody(report):
    """Do nothing: a function that pickle finds by its name."""


def test_callbacks_are_cloned_and_pickled_but_not_saved(X, classes, quick, tmp_path):
    selector = ClassificationSelector(2, callbacks=[report_to_nobody], **quick).fit(X, classes)
    assert clone(selector).get_params()["callbacks"] == [report_to_nobody]
    selector.save(tmp_path / "panel.safetensors")
    loaded = ipcae.load(tmp_path / "panel.safetensors")
    assert loaded.callbacks is None
    np.testing.assert_array_equal(loaded.predict(X), selector.predict(X))
    # By reference, as functions are; the test's own module cannot be imported by name.
    selector.set_params(callbacks=[print])
    assert pickle.loads(pickle.dumps(selector)).callbacks == [print]


def test_an_older_scikit_learn_offers_no_callbacks_of_its_own(monkeypatch):
    monkeypatch.setitem(sys.modules, "sklearn.callback", None)
    source = importlib.util.find_spec("ipcae.estimators.mixins.sklearn_callbacks")
    module = importlib.util.module_from_spec(source)
    source.loader.exec_module(module)
    assert not hasattr(module.CallbackSupport, "set_callbacks")
    assert module.forwarder_for(module.CallbackSupport(), None, None, None, 2) is None
    assert module.with_callbacks(lambda *rows: rows)(1, 2) == (1, 2)
