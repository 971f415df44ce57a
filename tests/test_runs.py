"""The run axis and its random streams."""

import numpy as np
import pytest
import torch
from scipy import stats

from ipcae.errors import InputError
from ipcae.runs import INITIAL, Runs, Stream, stream

DRAWS = ["normal", "uniform", "bits"]


def test_one_value_is_given_to_every_run():
    runs = Runs.of([1, 2, 3], learning_rate=0.5)
    assert runs.learning_rates == (0.5, 0.5, 0.5)
    assert runs.penalty_weights == (0.0, 0.0, 0.0)
    assert len(runs) == 3


def test_one_value_per_run_is_kept_in_order():
    runs = Runs.of([1, 2], learning_rate=[0.1, 0.2], penalty_weight=(3, 4))
    assert runs.learning_rates == (0.1, 0.2)
    assert runs.penalty_weights == (3.0, 4.0)


def test_a_subset_takes_every_value_of_its_runs():
    runs = Runs.of([1, 2, 3], [0.1, 0.2, 0.3], [4.0, 5.0, 6.0])
    assert runs.subset([2, 0]) == Runs((3, 1), (0.3, 0.1), (6.0, 4.0))


def test_no_seeds_are_refused():
    with pytest.raises(InputError, match="at least one seed"):
        Runs.of([])


@pytest.mark.parametrize("values", [[0.1, 0.2], [], [[0.1, 0.2, 0.3]]])
def test_a_wrong_number_of_values_is_refused(values):
    with pytest.raises(InputError, match=r"values of the learning rate for 3 runs.*one per run"):
        Runs.of([1, 2, 3], learning_rate=values)


@pytest.mark.parametrize("draw", ["normal", "uniform"])
@pytest.mark.parametrize("shape", [(), (7,), (3, 0), (2, 3)])
def test_runs_drawn_side_by_side_are_the_same(draw, shape, monkeypatch):
    one_by_one = getattr(Stream([11, 22, 33]), draw)(*shape)
    monkeypatch.setattr(stream, "_WORTH_THREADS", 0)
    assert torch.equal(getattr(Stream([11, 22, 33]), draw)(*shape), one_by_one)


@pytest.mark.parametrize("draw", DRAWS)
@pytest.mark.parametrize("shape", [(1,), (7,), (3, 5), (2, 3, 11)])
def test_the_draws_of_a_run_do_not_depend_on_the_other_runs(draw, shape):
    among = getattr(Stream([11, 22, 33], step=4), draw)(*shape)
    alone = getattr(Stream([22], step=4), draw)(*shape)
    assert among.shape == (3, *shape)
    assert torch.equal(among[1], alone[0])


@pytest.mark.parametrize("draw", DRAWS)
def test_a_draw_can_be_repeated(draw):
    first, again = Stream([5], step=9), Stream([5], step=9)
    for _ in range(3):
        assert torch.equal(getattr(first, draw)(40), getattr(again, draw)(40))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (0, 1),
        (1, 2**32 + 1),
        (2**62, 2**62 + 1),
        (2**63, 2**63 + 1),
    ],
)
def test_different_seeds_draw_different_numbers(one, other):
    assert not torch.equal(Stream([one]).bits(4), Stream([other]).bits(4))


def draw(seed, step, n, skip=0):
    stream = Stream([seed], step)
    for _ in range(skip):
        stream.bits(1)
    return stream.bits(n).numpy()[0]


NEIGHBORS = {
    "seed": {"seed": 1},
    "step": {"step": 6},
    "draw": {"skip": 1},
    "initialization": {"step": INITIAL},
}


@pytest.mark.parametrize("neighbor", NEIGHBORS.values(), ids=NEIGHBORS.keys())
def test_streams_of_neighboring_seeds_steps_and_draws_are_independent(neighbor):
    here = {"seed": 0, "step": 5, "n": 2**18}
    n = here["n"]
    left, right = draw(**here), draw(**(here | neighbor))
    differing = int(np.bitwise_count((left ^ right).view(np.uint32)).sum())
    # Independent bits differ in half of the 32 n places, give or take √(8 n).
    assert abs(differing - 16 * n) < 5 * (8 * n) ** 0.5
    for shift in (0, 1, 7):
        correlation = np.corrcoef(left[: n - shift], right[shift:])[0, 1]
        assert abs(correlation) < 5 * n**-0.5


def test_a_step_and_its_successor_do_not_overlap():
    # The counter of a draw must not run into the next step's or the next draw's.
    n = 2**14
    streams = [Stream([3], step) for step in range(4)]
    words = torch.cat([stream.bits(n)[0] for stream in streams for _ in range(4)])
    pairs = words.view(-1, 2).long()
    assert len(torch.unique(pairs[:, 0] * 2**32 + pairs[:, 1])) == len(pairs)


def test_every_one_of_the_32_bits_is_even():
    n = 2**18
    bits = Stream([1], 0).bits(n)[0]
    for place in range(32):
        ones = int((bits.long() >> place & 1).sum())
        assert abs(ones - n / 2) < 5 * (n / 4) ** 0.5


def test_normal_numbers_are_standard_normal():
    numbers = Stream([1, 2]).normal(100_000)
    for run in numbers:
        assert stats.kstest(run.double().numpy(), "norm").pvalue > 1e-4


def test_uniform_numbers_lie_in_the_half_open_unit_interval():
    numbers = Stream([1, 2]).uniform(100_000)
    assert numbers.min() >= 0
    assert numbers.max() < 1
    for run in numbers:
        assert stats.kstest(run.double().numpy(), "uniform").pvalue > 1e-4


@pytest.mark.parametrize("probability", [0.0, 0.1, 0.5, 0.9])
def test_keep_is_true_with_the_given_probability(probability):
    n = 200_000
    kept = int(Stream([1], 0).keep(probability, n).sum())
    assert abs(kept - n * probability) <= 5 * (n * probability * (1 - probability)) ** 0.5


@pytest.mark.parametrize("probability", [1.0, 1 - 1e-11])
def test_keep_is_true_when_it_is_certain(probability):
    assert Stream([1], 0).keep(probability, 1000).all()
