"""A run that is killed goes on where it stopped, to the same table."""

import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from paper.command import main
from paper.store import Store

ROOT = Path(__file__).resolve().parents[2]
OPTIONS = ["--quick", "--dataset", "mice_protein", "--runs", "2", "--epochs", "40"]


def figures(folder):
    return [row[:7] for row in Store(folder).rows()]


@pytest.mark.slow
def test_killed_and_started_again_gives_the_same_table(tmp_path, splits, capsys):
    options = [*OPTIONS, "--splits", splits, "--device", "cpu", "--methods", "cae-family"]
    whole, killed = tmp_path / "whole", tmp_path / "killed"
    command = [sys.executable, "-m", "paper", "run", "table-1", *options, "--results", str(killed)]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE) as process:
        process.stdout.readline()  # it has begun
        time.sleep(random.uniform(0.0, 1.5))
        process.send_signal(signal.SIGKILL)
    main(["run", "table-1", *options, "--results", str(whole)])
    assert len(figures(killed)) < len(figures(whole)), "it was killed too late"
    main(["run", "table-1", *options, "--results", str(killed)])
    assert figures(killed) == figures(whole)
    assert Store(killed).curves() == Store(whole).curves()
    assert not list(killed.rglob("*.part"))
