"""docs/comparison.md and docs/comparison-tables.md match the measurements."""

from pathlib import Path

import numpy as np
import pytest
from sklearn.datasets import load_digits
from sklearn.svm import SVC

ROOT = Path(__file__).parents[1]


@pytest.fixture(scope="module")
def comparison():
    """Import the parts of the suite, whose folder is not a package."""
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(ROOT / "benchmarks")
        from comparison import cells, critical_difference, luck, page, pairwise_svm, summary
    return {
        "cells": cells,
        "page": page,
        "summary": summary,
        "picture": critical_difference,
        "luck": luck,
        "svm": pairwise_svm,
    }


def test_the_pages_are_written_from_the_committed_rows(comparison):
    rows = comparison["cells"].read(ROOT / "benchmarks" / "suite.csv")
    for path, text in comparison["page"].pages(rows).items():
        assert path.read_text() == text
        assert "{{" not in text


def test_only_cells_that_all_methods_have_are_compared(comparison):
    rows = [
        {"method": method, "problem": problem, "split": split, "value": value, "seconds": "1"}
        for method, problem, split, value in (
            *(("a", "p", "0", "50"), ("b", "p", "0", "60")),
            *(("a", "p", "1", "70"), ("b", "p", "1", "")),
            *(("a", "q", "0", "90"), ("b", "q", "0", "80")),
            ("a", "r", "0", "10"),
        )
    ]
    found = comparison["summary"].compare(rows)
    assert (found.problems, found.splits) == (["p", "q"], ["0"])
    np.testing.assert_array_equal(found.overall, [70, 70])
    np.testing.assert_array_equal(found.mean_rank, [1.5, 1.5])
    np.testing.assert_array_equal(found.worst_gap, [-10, -10])


def test_groups_are_the_longest_intervals_within_the_critical_difference(comparison):
    assert comparison["picture"].groups([1.0, 1.5, 2.2, 4.0], 1.3) == [(1.0, 2.2)]
    assert comparison["picture"].groups([1.0, 2.0, 3.0], 1.0) == [(1.0, 2.0), (2.0, 3.0)]


def test_a_method_that_is_really_better_is_not_called_luck(comparison):
    random = np.random.default_rng(0)
    noise = random.normal(size=(3, 4, 8))
    noise -= noise.mean(2, keepdims=True)
    noise[1, 3] += 0.5
    names, splits = ["ours", "second", "third"], [*"01234567"]

    def of(values):
        summary = comparison["summary"].Comparison
        return summary(names, [*"pqrs"], splits, values, np.ones(3))

    equal = comparison["luck"].worst_gap(of(noise), "ours")
    assert equal.probability > 0.3  # half a standard deviation is within the errors
    assert equal.observed < equal.other_splits  # a part of it is the choice of the best
    noise[1, 2] += 5
    better = comparison["luck"].worst_gap(of(noise), "ours")
    assert better.probability < 0.01
    assert abs(better.observed - better.other_splits) < 0.05  # the same method on all halves
    assert better.observed < -3


def test_a_cell_that_was_measured_is_not_measured_again(comparison, tmp_path):
    cells = comparison["cells"]
    first, second = (cells.Cell("small", "colon", "anova", k, 0) for k in (10, 25))
    row = dict(zip(cells.KEY, first.key(), strict=True)) | {"value": "70", "seconds": "1"}
    path = tmp_path / "rows.csv"
    assert cells.merge([row, row], path) == 1
    assert cells.merge([row], path) == 0
    assert cells.missing([first, second], path) == [second]


def test_the_svm_of_all_pairs_predicts_as_that_of_scikit_learn(comparison):
    X, y = load_digits(return_X_y=True)
    X = X[:, 20:30] / 16
    own = comparison["svm"].PairwiseSVC("cpu").fit(X[:900], y[:900])
    reference = SVC().fit(X[:900], y[:900])
    agree = own.predict(X[900:]) == reference.predict(X[900:])
    assert agree.mean() > 0.998
    assert abs(own.score(X[900:], y[900:]) - reference.score(X[900:], y[900:])) < 0.002
    assert reference.score(X[900:], y[900:]) < 0.9  # rows on the wrong side of boundaries
    np.testing.assert_allclose(own.bias_.numpy(), reference.intercept_, atol=2e-3)
