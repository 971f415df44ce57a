"""scikit-learn's own callbacks, where its version has them."""

import pickle

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import ipcae
from ipcae import ClassificationSelector, ReconstructionSelector
from ipcae.estimators.mixins.sklearn_callbacks import attributes_now
from ipcae.selectors import Anova, Shortlist
from ipcae.training import EpochReport

callback = pytest.importorskip("sklearn.callback", reason="needs scikit-learn 1.9")


class Diary:
    """A callback after scikit-learn's protocol: writes down what it is told."""

    max_propagation_depth = None

    def __init__(self, stop_after=None):
        self.stop_after = stop_after
        self.lines = []
        self.fitted = []

    def setup(self, estimator, context):
        self.lines.append("setup")

    def teardown(self, estimator, context):
        self.lines.append("teardown")

    def on_fit_task_begin(self, estimator, context):
        self.lines.append(f"begin {context.task_name} {context.task_id}")

    def on_fit_task_end(self, estimator, context, *, X, y, metadata, fitted_estimator):
        self.lines.append(f"end {context.task_name} {context.task_id}")
        self.fitted.append((fitted_estimator, X, y, metadata))
        return (context.task_name, context.task_id) == ("epoch", self.stop_after)


@pytest.fixture
def settings(quick):
    return quick | {"max_epochs": 2, "fine_tune": 1, "n_runs": 2}


WHOLE = [
    "setup",
    "begin fit 0",
    "begin selecting 0",
    "begin epoch 0",
    "end epoch 0",
    "begin epoch 1",
    "end epoch 1",
    "end selecting 0",
    "begin fine-tuning 1",
    "begin epoch 0",
    "end epoch 0",
    "end fine-tuning 1",
    "end fit 0",
    "teardown",
]


def test_every_task_begins_and_ends_in_order(X, classes, settings):
    diary = Diary()
    ClassificationSelector(2, **settings).set_callbacks(diary).fit(X, classes)
    assert diary.lines == WHOLE


def test_true_ends_the_phase(X, classes, settings):
    diary = Diary(stop_after=0)
    selector = ClassificationSelector(2, **settings | {"max_epochs": 9})
    selector.set_callbacks(diary).fit(X, classes)
    assert diary.lines == [line for line in WHOLE if line not in ("begin epoch 1", "end epoch 1")]
    assert selector.run_status_ == ["stopped early"] * 2


@pytest.mark.parametrize("method", ["ip-cae", "subset", "anova", "shortlist"])
def test_the_selector_of_every_epoch_predicts(X, classes, settings, method):
    diary = Diary()
    selector = ClassificationSelector(2, **settings | {"method": method}).set_callbacks(diary)
    weights = np.linspace(1, 2, len(X))
    selector.fit(X, classes, weights)
    for fitted, rows, targets, metadata in diary.fitted:
        assert rows is X
        assert targets is classes
        assert metadata["sample_weight"] is weights
        assert fitted.transform(X).shape == (80, 2)
        assert sorted(fitted.ranking_) == [1, 2, 3, 4, 5, 6]
        assert np.isfinite(fitted.predict_proba(X)).all()
    first, *_, last = (fitted for fitted, *_ in diary.fitted)
    np.testing.assert_array_equal(last.predict_proba(X), selector.predict_proba(X))
    assert (first.predict_proba(X) != selector.predict_proba(X)).any()


def test_the_selector_of_every_epoch_selects_among_all_columns(settings):
    random = np.random.default_rng(0)
    X = random.normal(size=(400, 40)) + random.normal(size=(400, 1))
    classes = (X[:, 30] + X[:, 37] - 2 * X[:, 35] > 0).astype(int)
    diary, method = Diary(), Shortlist(Anova(), factor=3, alternatives=())
    selector = ClassificationSelector(3, **settings | {"method": method}).set_callbacks(diary)
    selector.fit(X, classes)
    for fitted, *_ in diary.fitted:
        assert fitted.get_support().shape == (40,)
        assert fitted.transform(X).shape == (400, 3)
        assert np.isfinite(fitted.predict_proba(X)).all()


def test_a_failed_fit_tears_its_callbacks_down(X, classes, settings):
    diary = Diary()

    def broken(report):
        raise RuntimeError("no")

    selector = ClassificationSelector(2, callbacks=broken, **settings).set_callbacks(diary)
    with pytest.raises(RuntimeError):
        selector.fit(X, classes)
    assert diary.lines[-1] == "teardown"


def test_scores_are_monitored(X, classes, settings):
    monitor = callback.ScoringMonitor(scoring="accuracy")
    selector = ClassificationSelector(2, **settings).set_callbacks(monitor).fit(X, classes)
    log = monitor.get_logs().data_as_pandas
    assert log["task_name"].tolist() == ["fit", "selecting", "fine-tuning", *["epoch"] * 3]
    assert log["accuracy"][0] == selector.score(X, classes)


def test_a_reconstruction_is_scored_on_its_rows(X, settings):
    monitor = callback.ScoringMonitor(scoring={"r2": lambda fitted, X, y: fitted.score(X)})
    selector = ReconstructionSelector(2, **settings).set_callbacks(monitor).fit(X)
    assert monitor.get_logs().data_as_pandas["r2"][0] == selector.score(X)


def test_the_progress_bar_comes_to_its_end(X, classes, settings, capsys):
    pytest.importorskip("rich")
    selector = ClassificationSelector(2, **settings).set_callbacks(callback.ProgressBar())
    selector.fit(X, classes)
    out = capsys.readouterr().out
    assert "ClassificationSelector - fit" in out
    assert "100%" in out


def test_search_and_pipeline_pass_their_callbacks_on(X, classes, settings):
    diary = Diary()
    pipeline = make_pipeline(StandardScaler(), ClassificationSelector(2, **settings))
    grid = {"classificationselector__n_features_to_select": [1, 2]}
    GridSearchCV(pipeline, grid, cv=2).set_callbacks(diary).fit(X, classes)
    # Two values, two folds, and once more on all rows.
    assert sum(line.startswith("end selecting") for line in diary.lines) == 5


def test_callbacks_survive_copies_but_not_files(X, classes, settings, tmp_path):
    diary = Diary()
    selector = ClassificationSelector(2, **settings).set_callbacks(diary).fit(X, classes)
    assert clone(selector)._skl_callbacks == [diary]
    selector.save(tmp_path / "panel.safetensors")
    loaded = ipcae.load(tmp_path / "panel.safetensors")
    assert not hasattr(loaded, "_skl_callbacks")
    again = pickle.loads(pickle.dumps(selector.set_callbacks()))
    np.testing.assert_array_equal(again.predict_proba(X), loaded.predict_proba(X))


def test_a_model_that_only_screens_has_no_answer_yet():
    report = EpochReport(0, 5, {}, 1, model=object(), runs=(0,))
    estimator = ReconstructionSelector()
    estimator.n_features_in_ = 6
    assert attributes_now(report, estimator) is None


def renamed_hook(monkeypatch):
    monkeypatch.delattr(callback.CallbackSupportMixin, "_init_callback_context")


def other_arguments(monkeypatch):
    monkeypatch.setattr(
        callback.CallbackSupportMixin, "_init_callback_context", lambda self, tasks: None
    )


def renamed_attribute(monkeypatch):
    def set_callbacks(self, *callbacks):
        self._fit_callbacks = list(callbacks)
        return self

    monkeypatch.setattr(callback.CallbackSupportMixin, "set_callbacks", set_callbacks)


@pytest.mark.parametrize("change", [renamed_hook, other_arguments, renamed_attribute])
def test_other_private_hooks_of_scikit_learn_do_not_stop_a_fit(
    change, X, classes, settings, monkeypatch
):
    expected = ClassificationSelector(2, **settings).fit(X, classes)
    change(monkeypatch)
    told = []
    selector = ClassificationSelector(2, callbacks=told.append, **settings).set_callbacks(Diary())
    with pytest.warns(ipcae.TrainingWarning, match="set_callbacks") as caught:
        selector.fit(X, classes)
    assert caught[0].filename == __file__
    assert told
    np.testing.assert_array_equal(selector.validation_loss_, expected.validation_loss_)
    # Without any to call there is nothing to warn of.
    ClassificationSelector(2, **settings).fit(X, classes)
