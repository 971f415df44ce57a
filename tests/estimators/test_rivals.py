"""STG, LassoNet and the classical rankings behave in the selectors as every method does."""

import pickle
import warnings

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV

from ipcae import (
    ClassificationSelector,
    InputError,
    LassoNet,
    Mlp,
    ReconstructionSelector,
    RegressionSelector,
    StochasticGates,
    load,
    paper_settings,
)
from ipcae.selectors import METHODS, Concrete
from ipcae.tasks import Classification

RIVALS = [
    name
    for name, method in METHODS.items()
    if not isinstance(method, Concrete) and method.needs != "times"
]
UNSUPERVISED = ["pfa", "pivoted-qr", "udfs"]
NEURAL = ["stg", "lassonet"]
CLASSIFY = [*NEURAL, "anova", "mutual-information", "random-forest", "l1-logistic"]
REGRESS = [*NEURAL, "anova", "mutual-information", "random-forest", "lasso"]
RECONSTRUCT = [*NEURAL, *UNSUPERVISED]
TASKS = {
    ClassificationSelector: [*CLASSIFY, *UNSUPERVISED],
    RegressionSelector: [*REGRESS, *UNSUPERVISED],
    ReconstructionSelector: RECONSTRUCT,
}
EVERYWHERE = [(kind, method) for kind, methods in TASKS.items() for method in methods]
SOLVE = {"max_epochs": 30, "learning_rate": 1e-2, "batch_size": 64, "n_runs": 2, "random_state": 0}


@pytest.fixture(scope="module")
def table():
    """Return 600 rows of 40 columns, of which the first five decide."""
    X = np.random.default_rng(0).normal(size=(600, 40))
    X[:, :5] *= 1.5
    return X


def found(selector):
    return [sorted(selection.features.tolist()) for selection in selector.selections_]


@pytest.mark.parametrize("method", CLASSIFY)
def test_five_columns_that_decide_a_class_are_found(method, table):
    classes = (table[:, :5].sum(1) > 0).astype(int)
    selector = ClassificationSelector(5, method=method, decoder=(32,), **SOLVE).fit(table, classes)
    if method == "mutual-information":  # a noisy estimate, of each column by itself
        assert all(len(set(features) & set(range(5))) >= 3 for features in found(selector))
        return
    assert found(selector) == [[0, 1, 2, 3, 4]] * 2
    assert selector.score(table, classes) > 0.95


@pytest.mark.parametrize("method", REGRESS)
def test_five_columns_that_decide_a_number_are_found(method, table):
    values = table[:, :5].sum(1)
    selector = RegressionSelector(5, method=method, decoder=(32,), **SOLVE).fit(table, values)
    if method == "mutual-information":
        assert all(len(set(features) & set(range(5))) >= 3 for features in found(selector))
        return
    assert found(selector) == [[0, 1, 2, 3, 4]] * 2
    assert selector.score(table, values) > 0.95


@pytest.mark.parametrize("method", RECONSTRUCT)
def test_five_columns_that_the_others_copy_are_enough(method):
    """Each of five numbers stands in four columns: one of every four is wanted."""
    rng = np.random.default_rng(0)
    hidden = rng.normal(size=(600, 5))
    X = np.repeat(hidden, 4, axis=1) + 0.05 * rng.normal(size=(600, 20))
    selector = ReconstructionSelector(5, method=method, decoder=(32,), **SOLVE).fit(X)
    groups = [{feature // 4 for feature in features} for features in found(selector)]
    least = 5 if method in ("pfa", "pivoted-qr") else 3
    assert all(len(group) >= least for group in groups)
    assert selector.score(X) > (0.95 if least == 5 else 0.5)


@pytest.fixture
def targets(classes, values):
    return {ClassificationSelector: classes, RegressionSelector: values}


@pytest.fixture
def fitted(quick, X, targets):
    def fit(kind, method, **settings):
        return kind(3, **quick | {"method": method} | {"n_runs": 2} | settings).fit(
            X, targets.get(kind)
        )

    return fit


@pytest.mark.parametrize(("kind", "method"), EVERYWHERE)
def test_a_fitted_rival_survives_files_copies_and_exports(kind, method, fitted, X, tmp_path):
    selector = fitted(kind, method)
    assert selector.get_support().sum() == 3
    assert len(set(selector.selection_.features)) == 3
    probability = selector.selection_.probability
    assert probability.shape == (6,)
    assert ((probability >= 0) & (probability <= 1)).all()
    answer = "reconstruct" if kind is ReconstructionSelector else "predict"
    expected = getattr(selector, answer)(X)
    pytest.importorskip("safetensors")
    selector.save(tmp_path / "selector.safetensors")
    again = load(tmp_path / "selector.safetensors")
    assert again.get_params() == selector.get_params()
    for copy in (again, pickle.loads(pickle.dumps(selector))):
        np.testing.assert_array_equal(getattr(copy, answer)(X), expected)
        np.testing.assert_array_equal(copy.ranking_, selector.ranking_)
    assert not hasattr(clone(selector), "params_")


@pytest.mark.parametrize("method", ["stg", "lassonet", "random-forest"])
def test_a_rival_is_exported_and_reported_like_every_method(method, fitted, X, classes, tmp_path):
    pytest.importorskip("onnx")
    selector = fitted(ClassificationSelector, method)
    selector.to_onnx(tmp_path / "selector.onnx")
    assert selector.to_torch() is not None
    page = selector.report(tmp_path / "report.html", X, classes)
    assert "<html" in page.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    "method",
    [
        StochasticGates(penalty_weights=(0.5, 1.0), network=Mlp((4,))),
        LassoNet(groups=((0, 1),), network=Mlp((4,))),
    ],
    ids=["stg", "lassonet"],
)
def test_a_method_with_custom_settings_is_saved_with_them(method, fitted, tmp_path):
    pytest.importorskip("safetensors")
    fitted(ClassificationSelector, method).save(tmp_path / "selector.safetensors")
    assert load(tmp_path / "selector.safetensors").method == method


def test_a_grid_search_chooses_among_methods(quick, X, classes):
    grid = {"method": ["cae", "stg", "lassonet", "anova", "pfa", StochasticGates(sigma=0.4)]}
    search = GridSearchCV(ClassificationSelector(2, **quick), grid, cv=2, error_score="raise")
    search.fit(X, classes)
    assert np.isfinite(search.cv_results_["mean_test_score"]).all()


@pytest.mark.parametrize("method", ["anova", "mutual-information", "random-forest", "l1-logistic"])
def test_a_supervised_ranking_cannot_reconstruct(method, quick, X):
    with pytest.raises(InputError, match=r"used for reconstruction: expected one of .*pfa"):
        ReconstructionSelector(3, **quick | {"method": method}).fit(X)


def test_a_ranking_for_the_other_kind_of_target_is_refused(quick, X, classes, values):
    with pytest.raises(InputError, match=r"needs numbers .* used for classification"):
        ClassificationSelector(3, **quick | {"method": "lasso"}).fit(X, classes)
    with pytest.raises(
        InputError, match=r"needs classes to predict and cannot be used for regression"
    ):
        RegressionSelector(3, **quick | {"method": "l1-logistic"}).fit(X, values)


@pytest.mark.parametrize("method", RIVALS)
def test_more_features_than_there_are_cannot_be_selected(method, quick, X, classes, values):
    suited = METHODS[method].supports(Classification)
    kind = ClassificationSelector if suited else RegressionSelector
    with pytest.raises(InputError, match="more than the 6 features"):
        kind(7, **quick | {"method": method}).fit(X, classes)


@pytest.mark.parametrize("method", [StochasticGates, LassoNet])
def test_a_class_instead_of_a_method_is_refused(method, quick, X, classes):
    with pytest.raises(InputError, match="expected an object, such as"):
        ClassificationSelector(3, **quick | {"method": method}).fit(X, classes)


@pytest.mark.parametrize(("kind", "method"), EVERYWHERE)
def test_constant_columns_are_not_selected(kind, method, quick, X, targets):
    X = X.copy()
    X[:, [0, 5]] = 3.0
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        selector = kind(4, **quick | {"method": method}).fit(X, targets.get(kind))
    np.testing.assert_array_equal(selector.get_support(indices=True), [1, 2, 3, 4])


@pytest.mark.parametrize("method", CLASSIFY)
def test_several_labels_and_sample_weights_are_taken(method, quick, X):
    labels = (X[:, :2] > 0).astype(int)
    weights = np.linspace(0, 2, len(X))
    selector = ClassificationSelector(2, **quick | {"method": method})
    assert selector.fit(X, labels, sample_weight=weights).predict(X).shape == labels.shape


@pytest.mark.parametrize("method", REGRESS)
def test_several_numbers_are_taken(method, quick, X):
    selector = RegressionSelector(2, **quick | {"method": method}).fit(X, X[:, :2])
    assert selector.predict(X).shape == (80, 2)


def test_runs_of_a_ranking_without_chance_share_it(fitted):
    first, second = fitted(ClassificationSelector, "anova").selections_
    np.testing.assert_array_equal(first.features, second.features)


@pytest.mark.parametrize("method", [n for n in RIVALS if n not in ("shortlist", "subset")])
def test_the_papers_settings_for_rivals_have_its_decoder_for_them(method):
    settings = paper_settings(method, batch_size=16)
    assert settings["decoder"] == Mlp((200,), slope=0.0, normalize=False)
    assert settings["max_epochs"] == 200
    assert not settings["shuffle"]
    assert settings["method"] == METHODS[method]


def test_the_papers_diversity_penalty_is_not_for_rivals():
    with pytest.raises(InputError, match="has no nodes"):
        paper_settings("stg", gjsd_weight=0.1)


def test_anova_ranks_a_copy_of_the_target_first_without_a_warning(X, classes):
    copied = np.c_[X, np.unique(classes, return_inverse=True)[1]]
    selector = ClassificationSelector(1, method="anova", max_epochs=1, random_state=0)
    assert selector.fit(copied, classes).get_support(indices=True).tolist() == [6]
