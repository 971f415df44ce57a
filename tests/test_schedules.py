"""Temperature and learning rate over training."""

import math
from itertools import pairwise

import pytest
import torch

from ipcae.schedules import (
    Constant,
    Cosine,
    Exponential,
    Linear,
    TensorProgress,
    Warmup,
    scheduled,
)


@pytest.mark.parametrize(
    "schedule", [Exponential(10.0, 0.01), Exponential(2.0, 8.0), Linear(10.0, 0.01), Linear(1, 3)]
)
def test_a_schedule_goes_from_its_start_to_its_end(schedule):
    assert schedule(0.0) == pytest.approx(schedule.start, rel=1e-12)
    assert schedule(1.0) == pytest.approx(schedule.end, rel=1e-12)


def test_exponential_takes_equal_factors_in_equal_times():
    values = [Exponential(10.0, 0.01)(i / 10) for i in range(11)]
    ratios = [b / a for a, b in pairwise(values)]
    assert ratios == pytest.approx([0.001**0.1] * 10)


def test_linear_takes_equal_steps_in_equal_times():
    values = [Linear(10.0, 0.0)(i / 10) for i in range(11)]
    assert values == pytest.approx([10.0 - i for i in range(11)])


@pytest.mark.parametrize("progress", [0.0, 0.3, 1.0])
def test_constant_never_changes(progress):
    assert Constant(0.25)(progress) == 0.25
    assert Constant()(progress) == 1.0


@pytest.mark.parametrize("epochs", [25, 50, 75, 100])
def test_warmup_raises_the_papers_rate_linearly_from_a_millionth(epochs):
    warmup = Warmup(fraction=epochs / 200, start=1e-3)
    for epoch in range(200):
        rate = 1e-3 * warmup(epoch / 200)
        expected = 1e-6 + (1e-3 - 1e-6) * min(epoch / epochs, 1)
        assert rate == pytest.approx(expected, rel=1e-9)


def test_warmup_by_default_is_the_papers_shortest():
    assert Warmup() == Warmup(fraction=25 / 200, start=1e-3)


@pytest.mark.parametrize("end", [0.0, 0.1])
@pytest.mark.parametrize("progress", [0.0, 0.25, 0.5, 0.9, 1.0])
def test_cosine_falls_along_half_a_cosine(end, progress):
    expected = end + (1 - end) * (1 + math.cos(math.pi * progress)) / 2
    assert Cosine(end=end)(progress) == pytest.approx(expected, abs=1e-12)


def test_cosine_rises_linearly_before_it_falls():
    cosine = Cosine(warmup=0.2)
    assert [cosine(p) for p in (0.0, 0.1, 0.2)] == pytest.approx([0.0, 0.5, 1.0])
    assert cosine(0.6) == pytest.approx(0.5)
    assert cosine(1.0) == pytest.approx(0.0)


def test_values_in_tensors_follow_the_progress(device):
    falling, rising = Linear(10.0, 0.0), Linear(0.0, 4.0)
    progress = TensorProgress(0.0, device)
    held = [scheduled(falling, progress), scheduled(rising, progress)]
    assert [value.item() for value in held] == [10.0, 0.0]
    progress.move(0.25)
    assert [value.item() for value in held] == [7.5, 1.0]
    assert all(value.device.type == device.type for value in held)


def test_a_schedule_has_one_tensor(device):
    schedule, progress = Linear(10.0, 0.0), TensorProgress(0.5, device)
    assert scheduled(schedule, progress) is scheduled(schedule, progress)
    # An equal schedule may be another part's: both values are moved.
    other = scheduled(Linear(10.0, 0.0), progress)
    progress.move(0.9)
    assert other.item() == scheduled(schedule, progress).item() == pytest.approx(1.0)


def test_a_schedule_first_asked_for_in_a_captured_step_is_refused(device):
    known, progress = Constant(2.0), TensorProgress(0.0, device)
    scheduled(known, progress)
    progress.fixed = True
    assert torch.equal(scheduled(known, progress), torch.tensor(2.0, device=device))
    with pytest.raises(RuntimeError, match="not asked for in the first steps"):
        scheduled(Linear(), progress)
