"""Kills: a fit is killed at a random moment and resumed."""

from __future__ import annotations

import os
import signal
import tempfile
import time
from functools import lru_cache
from pathlib import Path
from typing import Any

from tests.fuzz.checkpoints import fit, same
from tests.fuzz.dice import Dice
from tests.fuzz.outcome import check

EPOCHS = 30
_TRIES = 6


@lru_cache(maxsize=1)
def _undisturbed() -> tuple[Any, float]:
    fit(None, EPOCHS)  # the first takes longer
    began = time.perf_counter()
    with tempfile.TemporaryDirectory() as folder:
        selector = fit(Path(folder), EPOCHS)
    return selector, time.perf_counter() - began


def kill(seed: int) -> bool:
    """Kill a fit, up to three times, then let it finish; return whether a kill came in time.

    A first kill that comes too late is repeated with a new fit and half the delay.
    """
    dice = Dice("kills", seed)
    expected, seconds = _undisturbed()
    delay = dice.uniform(0, seconds)
    for _ in range(_TRIES):
        with tempfile.TemporaryDirectory() as folder:
            killed = _killed(Path(folder), delay)
            for _ in range(dice.randint(0, 2)):
                _killed(Path(folder), dice.uniform(0, delay))
            resumed = fit(Path(folder), EPOCHS)
        check(same(resumed, expected), "a resumed fit equals an undisturbed one")
        if killed:
            return True
        delay /= 2
    return False


def _killed(folder: Path, after: float) -> bool:
    """Fit in a child and kill it after some seconds; return whether it had not finished."""
    child = os.fork()
    if child == 0:
        code = 1
        try:
            fit(folder, EPOCHS)
            code = 0
        finally:
            os._exit(code)
    time.sleep(after)
    os.kill(child, signal.SIGKILL)
    _, status = os.waitpid(child, 0)
    check(os.WIFSIGNALED(status) or os.WEXITSTATUS(status) == 0, "a resumed fit raises no error")
    return os.WIFSIGNALED(status)
