"""The final decoder has seen the rows that were held out, but not those that were passed."""

import numpy as np
import pytest
from sklearn.base import clone

from ipcae import ClassificationSelector
from ipcae.errors import InputError


@pytest.fixture
def both(thorough):
    """Return selectors with and without refitting."""
    short = thorough | {"max_epochs": 10, "fine_tune": 20}
    return [ClassificationSelector(2, **short, refit=refit) for refit in (True, False)]


def test_held_out_rows_are_learned_in_the_end(both, X, classes):
    refitted, plain = (selector.fit(X, classes) for selector in both)
    assert not np.allclose(refitted.predict_proba(X), plain.predict_proba(X))
    np.testing.assert_array_equal(refitted.validation_loss_, plain.validation_loss_)
    np.testing.assert_array_equal(refitted.get_support(), plain.get_support())


def test_only_the_best_run_can_be_refitted(both, X, classes):
    every = both[0].set_params(n_runs=3).fit(X, classes)
    best = clone(every).set_params(refit="best").fit(X, classes)
    np.testing.assert_array_equal(best.validation_loss_, every.validation_loss_)
    for run in range(3):
        found, refitted = (each.with_run(run).predict_proba(X) for each in (best, every))
        assert np.array_equal(found, refitted) == (run == best.best_run_)


def test_other_values_are_refused(both, X, classes):
    with pytest.raises(InputError, match="refit='all' is not understood: expected True, False"):
        both[0].set_params(refit="all").fit(X, classes)


def test_given_validation_rows_are_never_learned(both, X, classes):
    fitted = [s.fit(X, classes, X_val=X[:20], y_val=classes[:20]) for s in both]
    np.testing.assert_array_equal(*(selector.predict_proba(X) for selector in fitted))


def test_training_rows_that_validate_are_not_repeated(both, X, classes):
    fitted = [s.set_params(validation_fraction=None).fit(X, classes) for s in both]
    np.testing.assert_array_equal(*(selector.predict_proba(X) for selector in fitted))
