"""About a minute of random attempts; ``make fuzz`` makes many more."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.fuzz.memory import flat_memory
from tests.fuzz.runner import outcome_of

ROOT = Path(__file__).parents[2]
COUNTS = {"fits": 800, "models": 300, "checkpoints": 200, "tables": 600, "commands": 60}
AT_ONCE = 50
PARTS = [
    pytest.param(kind, range(start, min(start + AT_ONCE, count)), id=f"{kind}-{start}")
    for kind, count in COUNTS.items()
    for start in range(0, count, AT_ONCE)
]


@pytest.mark.parametrize(("kind", "seeds"), PARTS)
def test_a_result_or_an_input_error(kind, seeds):
    failures = [out for seed in seeds if (out := outcome_of(kind, seed)).failure]
    assert not failures, "\n".join(f"{f.kind} seed {f.seed}: {f.failure}" for f in failures)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs forks")
def test_killed_fits_resume_to_the_same_bits():
    # In a process of its own, which may fork.
    command = [sys.executable, "-m", "tests.fuzz", "--kind", "kills", "--count", "4"]
    finished = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=300)
    assert finished.returncode == 0, finished.stdout + finished.stderr


def test_memory_stays_flat():
    assert not flat_memory(120).failure
