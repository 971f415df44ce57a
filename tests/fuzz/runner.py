"""Run many seeds, with progress that survives an interruption, and write a table of the results."""

from __future__ import annotations

import json
import multiprocessing
import platform
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from itertools import repeat as again
from pathlib import Path

import numpy
import torch

from tests.fuzz import checkpoints, command, files, fits, kills, memory, models
from tests.fuzz.outcome import Outcome, judged


@dataclass(frozen=True)
class Kind:
    """One kind of attempt: what a seed does, and how many seeds the long version has."""

    title: str
    attempt: Callable[[int], bool]
    n_long: int


KINDS = {
    "fits": Kind("fits of random tables with random arguments", fits.fit, 10_000),
    "models": Kind("damaged and forged model files", models.damaged_model, 1_000),
    "checkpoints": Kind("damaged checkpoints", checkpoints.damaged_checkpoint, 1_000),
    "tables": Kind("malformed tables", files.malformed_table, 1_000),
    "commands": Kind("command lines", command.command_line, 500),
    "kills": Kind("fits killed and resumed", kills.kill, 200),
}
N_FITS_IN_ONE_PROCESS = 500


def outcome_of(kind: str, seed: int) -> Outcome:
    """Return what becomes of a seed."""
    return judged(kind, seed, KINDS[kind].attempt)


@dataclass
class Tally:
    """What became of the seeds of one kind so far, at one commit."""

    commit: str
    done: int = 0
    answered: int = 0
    failures: list[str] = field(default_factory=list)

    def add(self, outcome: Outcome) -> None:
        """Count an outcome; a failure is printed with the seed that repeats it."""
        self.done += 1
        self.answered += outcome.answered
        if outcome.failure:
            self.failures.append(f"seed {outcome.seed}: {outcome.failure}")
            repeat = f"python -m tests.fuzz --kind {outcome.kind} --seed {outcome.seed}"
            print(f"\nFAILED {outcome.failure}\n  repeat with: {repeat}", flush=True)


@dataclass
class Session:
    """The tallies of a run; what was done at the same commit is not done again."""

    state: Path | None
    n_jobs: int = 1
    tallies: dict[str, Tally] = field(default_factory=dict)

    @classmethod
    def begin(cls, state: Path | None, n_jobs: int = 1) -> Session:
        """Continue the run in a file."""
        session = cls(state, n_jobs)
        if state is not None and state.exists():
            stored = json.loads(state.read_text())
            session.tallies = {name: Tally(**tally) for name, tally in stored.items()}
        return session

    def run(self, kind: str, count: int) -> None:
        """Try the seeds from 0 that were not tried yet."""
        tally, began = self._tally(kind), time.monotonic()
        with _outcomes(kind, range(tally.done, count), self.n_jobs) as outcomes:
            for outcome in outcomes:
                tally.add(outcome)
                if tally.done % 20 == 0 or tally.done == count:
                    self._save()
                    passed = time.monotonic() - began
                    print(f"\r{kind}: {tally.done} of {count}, {passed:.0f} s", end="", flush=True)
        print()

    def run_memory(self, count: int) -> None:
        """Make many fits in this process, and watch its memory."""
        tally = self._tally("memory")
        if tally.done:
            return
        tally.add(memory.flat_memory(count))
        tally.done, tally.answered = count, count
        self._save()
        print(f"memory: {count} fits")

    def _tally(self, kind: str) -> Tally:
        """Return the tally to continue, or a new one if the commit is another."""
        now = commit()
        tally = self.tallies.get(kind)
        if tally is None or tally.commit != now:
            tally = self.tallies[kind] = Tally(now)
        return tally

    def _save(self) -> None:
        if self.state is not None:
            tallies = {name: asdict(tally) for name, tally in self.tallies.items()}
            self.state.write_text(json.dumps(tallies))

    @property
    def n_failures(self) -> int:
        """The number of seeds that broke a promise."""
        return sum(len(tally.failures) for tally in self.tallies.values())

    def page(self) -> str:
        """Return the results as a page of documentation."""
        lines = [
            "# Fuzzing",
            "",
            "Random tables, arguments, files, command lines and killed processes. Each attempt",
            "must end with a valid result (exactly K different features, finite predictions) or a",
            "one-sentence error message, never with another exception, a hang or NaN.",
            "`make fuzz` runs it.",
            "",
            f"{datetime.now(UTC):%Y-%m-%d}, Python {platform.python_version()}, "
            f"PyTorch {torch.__version__}, NumPy {numpy.__version__}.",
            "",
            "| Attempts | Number | Answered | Refused | Failures | Commit |",
            "| --- | ---: | ---: | ---: | ---: | --- |",
        ]
        for kind, tally in self.tallies.items():
            title = KINDS[kind].title if kind in KINDS else "fits in one process, memory flat"
            failed = len(tally.failures)
            refused = max(tally.done - tally.answered - failed, 0)
            numbers = f"{tally.done:,} | {tally.answered:,} | {refused:,} | {failed}"
            lines.append(f"| {title} | {numbers} | {tally.commit} |")
        if "kills" in self.tallies:
            lines += ["", "A refused kill is one that came after the fit had finished."]
        for kind, tally in self.tallies.items():
            lines += [f"\n{kind}: {failure}" for failure in tally.failures]
        return "\n".join(lines) + "\n"


@contextmanager
def _outcomes(kind: str, seeds: range, n_jobs: int) -> Iterator[Iterator[Outcome]]:
    """Try the seeds, in several processes if asked; outcomes come in the order of the seeds."""
    if n_jobs == 1:
        yield (outcome_of(kind, seed) for seed in seeds)
        return
    spawn = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(n_jobs, spawn, torch.set_num_threads, (1,)) as pool:
        try:
            yield pool.map(outcome_of, again(kind), seeds)
        finally:
            pool.shutdown(cancel_futures=True)


def commit() -> str:
    """Return the commit that is checked out, marked if anything was changed."""

    def git(*arguments: str) -> str:
        command = ["git", *arguments]
        folder = Path(__file__).parent
        return subprocess.run(command, cwd=folder, capture_output=True, text=True).stdout.strip()

    try:
        changed = git("status", "--porcelain", "--untracked-files=no", "--", ":!/docs/fuzz.md")
        return git("rev-parse", "--short", "HEAD") + (" with changes" if changed else "")
    except OSError:
        return "unknown"


def repeat(kind: str, seed: int) -> int:
    """Try one seed; return the exit code."""
    outcome = outcome_of(kind, seed)
    print(outcome.failure or ("answered" if outcome.answered else "refused"), file=sys.stdout)
    return 1 if outcome.failure else 0
