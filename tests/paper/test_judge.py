"""The rule of acceptance."""

from dataclasses import replace

import pytest

from paper import judge
from paper.cell import Cell


def cell(task, method="ip-cae", dataset="isolet"):
    return Cell(dataset, task, method, k=50, epochs=200, n_runs=10)


@pytest.mark.parametrize(
    ("task", "method", "ours", "status"),
    [
        # Published 91.85 ± 0.55: two deviations, 1.1 points, are wider than 0.7.
        ("classification", "ip-cae", 90.80, judge.WITHIN),
        ("classification", "ip-cae", 90.70, judge.EXCEPTION),
        ("classification", "ip-cae", 93.00, judge.BETTER),
        # Published 0.00438 ± 0.0000128: 1.5 % of it, 0.0000657, are wider.
        ("reconstruction", "ip-cae", 0.00444, judge.WITHIN),
        ("reconstruction", "ip-cae", 0.00445, judge.EXCEPTION),
        ("reconstruction", "ip-cae", 0.00431, judge.BETTER),
        # Published 84.95: a rival must be as good.
        ("classification", "stg", 84.96, judge.BETTER),
        ("classification", "stg", 84.90, judge.EXCEPTION),
        ("classification", "anova", 84.90, judge.UNPUBLISHED),
    ],
)
def test_within_better_exception(task, method, ours, status):
    assert judge.status(cell(task, method), ours) == status


@pytest.mark.parametrize("change", [{"epochs": 60}, {"noise_draws": 1}, {"embedding": 128}])
def test_another_protocol_is_not_judged(change):
    own = replace(cell("classification"), **change)
    assert judge.status(own, 91.85) == judge.SHORTENED


def test_fewer_runs_are_judged():
    assert judge.status(replace(cell("classification"), n_runs=3), 91.85) == judge.WITHIN
