"""Tables on disk, and the command line in this process and in its own."""

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import pytest

from ipcae.cli.app import run

COMMAND = [sys.executable, "-c", "from ipcae.cli import main; main()"]


class Outcome(NamedTuple):
    code: int
    out: str
    err: str


@pytest.fixture
def frame() -> pd.DataFrame:
    """Sixty rows: six numbers, of which two make the label and the price."""
    random = np.random.default_rng(0)
    table = pd.DataFrame(random.normal(size=(60, 6)), columns=list("abcdef"))
    return table.assign(
        label=np.where(table.a + table.b > 0, "sick", "well"), price=10 + table.a - 2 * table.c
    )


@pytest.fixture
def numbers(frame: pd.DataFrame) -> pd.DataFrame:
    return frame.drop(columns="label")


@pytest.fixture
def ipcae(capsys: pytest.CaptureFixture[str]) -> Callable[..., Outcome]:
    """Run a command line in this process."""

    def call(*arguments: object) -> Outcome:
        code = run([str(argument) for argument in arguments])
        return Outcome(code, *capsys.readouterr())

    return call


@pytest.fixture
def select(
    ipcae: Callable[..., Outcome], tmp_path: Path
) -> Callable[[pd.DataFrame | Path, Any], Outcome]:
    """Select three columns of a table, hastily, into ``tmp_path / "out"``."""

    def call(table: pd.DataFrame | Path, *arguments: object) -> Outcome:
        if isinstance(table, pd.DataFrame):
            path = tmp_path / "table.csv"
            table.to_csv(path, index=False)
            table = path
        out = tmp_path / "out"
        hasty = ("-k", 3, "--out", out, "--epochs", 2, "--runs", 1, "--no-verdict")
        hasty += ("--method", "ip-cae")
        return ipcae("select", table, *hasty, *arguments)

    return call


@pytest.fixture
def start() -> Callable[..., subprocess.Popen[str]]:
    """Start the command line as a process of its own, on one core."""

    def call(*arguments: object, **options: Any) -> subprocess.Popen[str]:
        return subprocess.Popen(
            COMMAND + [str(argument) for argument in arguments],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            encoding="utf-8",
            env={**os.environ, "OMP_NUM_THREADS": "1", "PYTHONIOENCODING": "utf-8"},
            **options,
        )

    return call
