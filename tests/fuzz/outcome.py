"""The outcome of one seed: a result, a one-sentence error, or a failure."""

from __future__ import annotations

import signal
import threading
import traceback
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from ipcae import InputError

SECONDS = 60  # that one seed may take


class Hang(BaseException):
    """More time than any seed needs has passed."""


class Wrong(Exception):
    """An answer that breaks a promise."""


@dataclass(frozen=True)
class Outcome:
    """What became of one seed; ``failure`` is empty unless a promise was broken."""

    kind: str
    seed: int
    answered: bool
    failure: str = ""


def check(holds: object, promise: str) -> None:
    """Raise an error that names a broken promise."""
    if not holds:
        raise Wrong(promise)


def check_sentence(sentence: str) -> None:
    """Check that a refusal is one line for people."""
    check(sentence.strip(), "a refusal says why")
    check("\n" not in sentence.strip(), f"a refusal is one line: {sentence!r}")
    check(len(sentence) < 2000, f"a refusal is short: {sentence[:200]!r}")


def judged(kind: str, seed: int, work: Callable[[int], bool]) -> Outcome:
    """Do the work of a seed, which returns whether there was an answer."""
    try:
        with _time_limit(), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                return Outcome(kind, seed, work(seed))
            except InputError as error:
                check_sentence(str(error))
                return Outcome(kind, seed, answered=False)
    except (Exception, Hang) as error:
        place = traceback.extract_tb(error.__traceback__)[-1]
        ours = [f for f in traceback.extract_tb(error.__traceback__) if "/ipcae/" in f.filename]
        where = f"{place.filename.rpartition('/')[2]}:{place.lineno}"
        if ours:
            where += f", from {ours[-1].filename.rpartition('/ipcae/')[2]}:{ours[-1].lineno}"
        text = (str(error).splitlines() or [""])[0][:300]
        return Outcome(kind, seed, False, f"{type(error).__name__}: {text} ({where})")


@contextmanager
def _time_limit() -> Iterator[None]:
    def stop(number: int, frame: object) -> None:
        raise Hang(f"no end after {SECONDS} s")

    in_main = threading.current_thread() is threading.main_thread()
    if not (in_main and hasattr(signal, "SIGALRM")):
        yield
        return
    before = signal.signal(signal.SIGALRM, stop)
    signal.alarm(SECONDS)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)
