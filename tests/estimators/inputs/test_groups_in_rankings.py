"""Rankings of a fit, a search, a stability selection and a chance test know the groups of rows."""

from dataclasses import dataclass

import numpy as np
import pytest

from ipcae import (
    ClassificationSelector,
    RegressionSelector,
    SelectorCV,
    StabilitySelection,
    chance_test,
)
from ipcae.selectors import Ranking

PATIENTS = np.repeat(np.arange(20), 12)
SICK = PATIENTS % 2
SEEN: list[int] = []


def table_of_patients(n_columns=60, n_rows=12):
    """Return rows whose columns differ from patient to patient."""
    random = np.random.default_rng(0)
    own = np.repeat(random.normal(size=(20, n_columns)), n_rows, axis=0)
    return 2 * own + random.normal(size=own.shape)


@dataclass(frozen=True)
class Recorder(Ranking):
    """A ranking that records how many rows it has seen."""

    random = False

    def scores(self, examples, n_selected, seed):
        SEEN.append(len(examples.inputs))
        return examples.inputs.std(0)


@pytest.fixture
def seen():
    SEEN.clear()
    return SEEN


@pytest.mark.parametrize("numbers", [False, True])
def test_fit_passes_groups_to_the_ranking(quick, seen, numbers):
    kind = RegressionSelector if numbers else ClassificationSelector
    selector = kind(3, **{**quick, "method": Recorder()})
    selector.fit(table_of_patients(), SICK.astype(float) if numbers else SICK, groups=PATIENTS)
    assert seen == [20]


def test_folds_and_halves_pass_groups_to_the_ranking(quick, seen):
    X = table_of_patients()
    selector = ClassificationSelector(3, **{**quick, "method": Recorder()})
    SelectorCV(selector, n_features_to_select=[3], cv=2).fit(X, SICK, groups=PATIENTS)
    assert sorted(seen) == [10, 10, 20]
    seen.clear()
    StabilitySelection(selector, n_subsamples=2, refit=False).fit(X, SICK, groups=PATIENTS)
    assert sorted(seen) == [10, 10]
    seen.clear()
    chance_test(selector, X, SICK, groups=PATIENTS, cv=2, n_repeats=1)
    assert sorted(seen) == [10, 10]


def test_the_default_method_depends_on_the_number_of_groups(quick):
    once = {**quick, "method": None, "max_epochs": 1, "fine_tune": False}
    X, groups = table_of_patients(20, 36), np.repeat(np.arange(20), 36)
    selector = ClassificationSelector(3, **once).fit(X, groups % 2, groups=groups)
    assert selector.method_ == "adaptive"
    assert "720 rows of 20 groups" in selector.method_reason_
    assert ClassificationSelector(3, **once).fit(X, groups % 2).method_ == "shortlist"
