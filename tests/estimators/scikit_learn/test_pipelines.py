"""A selector is a step of scikit-learn's pipelines, in the middle or at the end."""

import numpy as np
import pandas as pd
import pytest
from sklearn.compose import ColumnTransformer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import FeatureUnion, Pipeline, make_pipeline
from sklearn.preprocessing import MinMaxScaler, StandardScaler

from ipcae import ClassificationSelector, ReconstructionSelector, RegressionSelector


@pytest.mark.parametrize("before", [[], [StandardScaler()]], ids=["alone", "scaler before"])
def test_a_classifier_learns_from_the_selected_columns(X, classes, quick, before):
    pipeline = make_pipeline(*before, ClassificationSelector(2, **quick), LogisticRegression())
    pipeline.fit(X, classes)
    prepared = pipeline[:-2].transform(X) if before else X
    selector = ClassificationSelector(2, **quick).fit(prepared, classes)
    classifier = LogisticRegression().fit(selector.transform(prepared), classes)
    np.testing.assert_array_equal(
        pipeline.predict(X), classifier.predict(selector.transform(prepared))
    )


@pytest.mark.parametrize("before", [[], [MinMaxScaler()]], ids=["alone", "scaler before"])
def test_the_last_step_predicts(X, classes, quick, before):
    pipeline = make_pipeline(*before, ClassificationSelector(2, **quick)).fit(X, classes)
    prepared = before[0].fit_transform(X) if before else X
    alone = ClassificationSelector(2, **quick).fit(prepared, classes)
    np.testing.assert_array_equal(pipeline.predict(X), alone.predict(prepared))
    np.testing.assert_array_equal(pipeline.predict_proba(X), alone.predict_proba(prepared))
    assert pipeline.score(X, classes) == alone.score(prepared, classes)


def test_a_regressor_at_the_end_predicts(X, values, quick):
    pipeline = make_pipeline(StandardScaler(), RegressionSelector(2, **quick)).fit(X, values)
    assert pipeline.predict(X).shape == (80,)
    assert pipeline.score(X, values) == pipeline[-1].score(pipeline[0].transform(X), values)


def test_a_reconstruction_serves_a_classifier(X, classes, quick):
    pipeline = make_pipeline(ReconstructionSelector(2, **quick), LogisticRegression())
    pipeline.fit(X, classes)
    assert pipeline[-1].n_features_in_ == 2
    assert len(pipeline[:-1].get_feature_names_out()) == 2


def test_parameters_are_set_through_the_pipeline(X, classes, quick):
    pipeline = Pipeline([("select", ClassificationSelector(2, **quick)), ("end", "passthrough")])
    pipeline.set_params(select__n_features_to_select=5, select__method="cae")
    assert pipeline.fit_transform(X, classes).shape == (80, 5)


def test_a_column_transformer_selects_among_some_columns(X, classes, quick):
    table = pd.DataFrame(X, columns=list("abcdef"))
    transformer = ColumnTransformer(
        [
            ("few", ClassificationSelector(2, **quick), ["b", "d", "e"]),
            ("all", "passthrough", ["a"]),
        ],
        verbose_feature_names_out=False,
    ).fit(table, classes)
    *selected, last = transformer.get_feature_names_out()
    assert len(selected) == 2
    assert set(selected) < {"b", "d", "e"}
    assert last == "a"
    np.testing.assert_array_equal(transformer.transform(table), table[[*selected, "a"]])


def test_a_union_joins_two_selectors(X, classes, values, quick):
    union = FeatureUnion(
        [
            ("class", ClassificationSelector(2, **quick)),
            ("all", ReconstructionSelector(3, **quick)),
        ]
    )
    assert union.fit_transform(X, classes).shape == (80, 5)
