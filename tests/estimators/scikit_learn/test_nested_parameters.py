"""Parameters of parts are set by name, as those of nested estimators in scikit-learn."""

import pytest
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from ipcae import ClassificationSelector, Concrete, InputError, Linear, Mlp, SelectorCV


def test_a_parameter_of_a_part_changes_nothing_else():
    decoder = Mlp(hidden=(8,))
    selector = ClassificationSelector(2, decoder=decoder).set_params(decoder__dropout=0.1)
    assert selector.decoder == Mlp(hidden=(8,), dropout=0.1)
    assert decoder.dropout == 0.0


def test_parts_of_parts_have_parameters():
    selector = ClassificationSelector(2, method=Concrete(temperature=Linear(5.0, 0.1)))
    selector.set_params(method__temperature__end=0.5, method__noise_draws=2)
    assert selector.method == Concrete(temperature=Linear(5.0, 0.5), noise_draws=2)


def test_a_part_is_set_before_its_parameters():
    selector = SelectorCV(ClassificationSelector())
    selector.set_params(estimator__decoder__dropout=0.2, estimator__decoder=Mlp())
    assert selector.estimator.decoder == Mlp(dropout=0.2)


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        ("decoder__dropout", "decoder='auto' has no parameter 'dropout': set it to an object"),
        ("method__end", "has no parameter 'end': expected one of parametrization, temperature"),
        ("part__end", "Invalid parameter 'part'"),
    ],
)
def test_unknown_parameters_are_refused(name, sentence):
    selector = ClassificationSelector(2, method=Concrete())
    with pytest.raises(ValueError, match=sentence) as caught:
        selector.set_params(**{name: 0.1})
    assert isinstance(caught.value, InputError) == (name != "part__end")


def test_a_grid_search_sets_them_in_a_pipeline(X, classes, quick):
    pipeline = make_pipeline(
        StandardScaler(), ClassificationSelector(2, **{**quick, "decoder": Mlp(hidden=(4,))})
    )
    grid = {"classificationselector__decoder__dropout": [0.0, 0.5]}
    search = GridSearchCV(pipeline, grid, cv=2).fit(X, classes)
    best = search.best_params_["classificationselector__decoder__dropout"]
    assert search.best_estimator_[-1].decoder.dropout == best
