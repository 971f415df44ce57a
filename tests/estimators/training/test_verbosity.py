"""Silence unless asked, and then on standard error alone."""

import numpy as np
import pytest

from ipcae import ClassificationSelector


@pytest.mark.parametrize("verbose", [0, False])
def test_nothing_is_printed_by_default(X, classes, quick, capfd, verbose):
    selector = ClassificationSelector(2, n_runs=2, verbose=verbose, **quick).fit(X, classes)
    selector.predict(X)
    selector.transform(X)
    assert capfd.readouterr() == ("", "")


def test_a_progress_line_goes_to_standard_error(X, classes, quick, capfd):
    ClassificationSelector(2, verbose=1, **quick | {"max_epochs": 10}).fit(X, classes)
    out, err = capfd.readouterr()
    assert out == ""
    assert "selecting" in err
    assert "10/10" in err
    assert "fine-tuning" in err
    assert "loss" in err


def test_printing_changes_no_number(X, classes, quick, capfd):
    silent, verbose = (
        ClassificationSelector(2, verbose=verbose, **quick).fit(X, classes) for verbose in (0, 1)
    )
    np.testing.assert_array_equal(silent.predict_proba(X), verbose.predict_proba(X))
