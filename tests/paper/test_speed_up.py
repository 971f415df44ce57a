"""The speed-up, of curves whose ratio is known."""

import pytest

from paper.items.pairs import pair
from paper.items.speed_up import speed_up
from paper.protocol import PAPER
from paper.records import Curve, Row
from paper.results import Results

PROTOCOL = PAPER.restricted(("isolet",), n_runs=2, epochs=8)
# CAE ends at 50. The first run passes it after 2 epochs, falls back and stays above from 4 on; the
# second passes it after 8.
RUNS = [(40, 60, 50, 70, 70, 70, 70, 70), (10, 20, 30, 40, 41, 42, 43, 51)]


@pytest.fixture(params=["classification", "reconstruction"])
def task(request):
    return request.param


@pytest.fixture
def results(task):
    sign = 1 if task == "classification" else -1
    cae, ip_cae = pair(PROTOCOL, "isolet", task)
    metric = f"validation_{cae.metric}"
    curves = [Curve(*cae.key(), metric, "mean", 1, (*[0] * 7, sign * 50))]
    curves += [
        Curve(*ip_cae.key(), metric, f"run {run}", 1, tuple(sign * value for value in values))
        for run, values in enumerate(RUNS)
    ]
    origin = ("0", "cpu", 1.0)
    rows = [Row(*own.key(), run, "x", 0.0, *origin) for own in (cae, ip_cae) for run in range(2)]
    return Results(rows, curves)


def test_the_mean_ratio_of_the_first_crossings(results, task):
    assert speed_up(PROTOCOL, results, "isolet", task) == (8 / 2 + 8 / 8) / 2


def test_the_mean_ratio_of_the_last_crossings(results, task):
    assert speed_up(PROTOCOL, results, "isolet", task, for_good=True) == (8 / 4 + 8 / 8) / 2


def test_there_is_none_before_both_have_run(task):
    assert speed_up(PROTOCOL, Results([]), "isolet", task) is None
