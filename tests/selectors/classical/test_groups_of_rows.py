"""Rankings of rows that belong together, such as the samples of a patient."""

import numpy as np
import pytest

from ipcae.ridge import similar_folds
from ipcae.selectors import Adaptive, Elimination
from ipcae.selectors.classical import Examples
from ipcae.selectors.classical.examples import averaged
from ipcae.selectors.classical.models.boosting import two_parts
from ipcae.selectors.classical.models.held_out import errors_of_columns
from ipcae.selectors.classical.preferred import errors_of

PATIENTS = np.repeat(np.arange(20), 12)
SICK = PATIENTS % 2


def table_of_patients(n_columns=60, seed=0):
    """Return rows of which the first three columns differ between the sick and the others.

    Half of the other columns differ from patient to patient.
    """
    random = np.random.default_rng(seed)
    own = random.normal(size=(20, n_columns)) * (np.arange(n_columns) >= n_columns // 2)
    X = 2 * own[PATIENTS] + random.normal(size=(240, n_columns))
    X[:, :3] += 0.8 * SICK[:, None]
    return X


def examples_of(X, targets, groups=PATIENTS, discrete=True, weights=None):
    return Examples(X, np.asarray(targets, float)[:, None], discrete, weights, groups=groups)


@pytest.mark.parametrize("number", [2, 3, 7, 20])
def test_folds_have_whole_groups(number):
    groups = PATIENTS % number
    fold = similar_folds(np.random.default_rng(0).normal(size=(240, 2)), groups)
    assert all(len(set(fold[groups == group])) == 1 for group in range(number))
    assert set(fold) == set(range(min(number, 5)))


def test_a_single_group_is_divided_into_folds():
    targets = np.arange(10.0)[:, None]
    np.testing.assert_array_equal(similar_folds(targets, np.zeros(10)), similar_folds(targets))


def test_errors_are_those_of_groups():
    """A column that tells patients apart predicts rows of known patients, but not of new ones."""
    random = np.random.default_rng(0)
    patient, sick = np.repeat(np.arange(40), 6), np.repeat(random.permutation(40) % 2, 6)
    X = random.normal(size=(40, 3))[patient] + 0.01 * random.normal(size=(240, 3))
    columns = [np.arange(3)]
    (known,) = errors_of_columns(examples_of(X, sick, None), columns)
    (new,) = errors_of_columns(examples_of(X, sick, patient), columns)
    assert (len(known), len(new)) == (240, 40)
    assert known.mean() < 0.5 * new.mean()
    ranking = Elimination()
    known, new = (errors_of(ranking, examples_of(X, sick, groups), 3) for groups in (None, patient))
    assert (len(known), len(new)) == (240, 40)
    assert known.mean() < 0.5 * new.mean()


def test_trees_are_compared_on_other_groups():
    fitted, held_out = two_parts(examples_of(np.zeros((240, 2)), SICK))
    assert not {*fitted.groups} & {*held_out.groups}
    assert len(fitted.groups) == 144
    alone = two_parts(examples_of(np.zeros((240, 2)), SICK, np.zeros(240, int)))
    assert [len(part.inputs) for part in alone] == [144, 96]


def test_rows_that_repeat_an_observation_are_averaged():
    X = table_of_patients()
    found = averaged(examples_of(X, SICK), apart=True)
    assert found.groups is None
    np.testing.assert_allclose(found.inputs[3], X[PATIENTS == 3].mean(0))
    np.testing.assert_array_equal(found.targets[:, 0], np.arange(20) % 2)


def test_rows_of_a_patient_with_another_class_are_averaged_separately():
    classes = np.where(np.arange(240) == 0, 1, SICK)
    X = table_of_patients()
    found = averaged(examples_of(X, classes), apart=True)
    assert found.groups[:3].tolist() == [0, 0, 1]
    assert len(found.inputs) == 21
    np.testing.assert_allclose(found.inputs[0], X[1:12].mean(0))
    np.testing.assert_allclose(found.inputs[1], X[0])


def test_averages_are_weighted():
    weights = np.where(np.arange(240) % 12 == 0, 3.0, 1.0)
    X = table_of_patients()
    found = averaged(examples_of(X, SICK, weights=weights), apart=True)
    np.testing.assert_allclose(found.inputs[0], np.average(X[:12], 0, weights[:12]))
    np.testing.assert_allclose(found.weights, 14 / 12)


@pytest.mark.parametrize("kind", ["rows differ in their targets", "groups do not matter"])
def test_other_rows_are_not_averaged(kind):
    random = np.random.default_rng(0)
    examples = examples_of(table_of_patients(), random.integers(2, size=240))
    if kind == "groups do not matter":
        examples = examples_of(random.normal(size=(240, 30)), SICK)
    assert averaged(examples, apart=True) is examples


def test_columns_that_tell_patients_apart_are_not_selected():
    X = table_of_patients()
    examples = examples_of(X, SICK)
    chosen = {}
    for name, rows in (("rows", examples), ("patients", averaged(examples, apart=True))):
        chosen[name] = np.argsort(-Adaptive().scores(rows, 3, 0))[:3]
    assert set(chosen["patients"]) == {0, 1, 2}
    assert set(chosen["rows"]) != {0, 1, 2}
