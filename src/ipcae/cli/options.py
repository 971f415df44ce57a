"""How to select: what both ``select`` and ``demo`` need to know, checked before any work."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from ipcae.devices import device_for
from ipcae.errors import InputError
from ipcae.selectors import method_named
from ipcae.training import Checkpoint

MOST_EPOCHS = 10_000_000
"""The epochs of all runs together; more are taken for a mistake."""


@dataclass(frozen=True)
class Options:
    """The arguments of a selection, as they were given."""

    n_features: int | float
    method: str = "ip-cae"
    runs: int = 5
    epochs: int = 200
    test_fraction: float = 0.2
    seed: int = 0
    device: str = "auto"
    checkpoint: Path | None = None
    resume: bool = False

    def check(self) -> None:
        """Refuse what can be refused before any file is read."""
        method_named(self.method)
        if not 0 < self.test_fraction < 1:
            raise InputError(
                f"--test-fraction {self.test_fraction:g} is not a fraction: expected a number "
                "between 0 and 1, such as 0.2."
            )
        for option, value in (("--runs", self.runs), ("--epochs", self.epochs)):
            if value < 1:
                raise InputError(f"{option} {value} is too few: expected a whole number from 1.")
        if self.runs * self.epochs > MOST_EPOCHS:
            raise InputError(
                f"--runs {self.runs} of --epochs {self.epochs} are more than {MOST_EPOCHS:,} "
                "epochs in all: choose fewer."
            )
        self._check_checkpoint()
        if not 0 <= self.seed < 2**32:
            raise InputError(f"--seed {self.seed} is not understood: expected 0 to {2**32 - 1}.")
        device_for(self.device)

    def _check_checkpoint(self) -> None:
        if self.checkpoint is None:
            if self.resume:
                raise InputError("--resume needs --checkpoint DIR, the folder to continue from.")
        elif Checkpoint(self.checkpoint).in_use and not self.resume:
            raise InputError(
                f"--checkpoint {self.checkpoint} holds an earlier training: continue it with "
                "--resume, or choose another folder."
            )


def read_number_of_features(text: str) -> int | float:
    """Read ``-k``: a count, or a fraction of the columns.

    >>> read_number_of_features("20"), read_number_of_features("0.1")
    (20, 0.1)
    """
    try:
        return int(text)
    except ValueError:
        pass
    try:
        number = float(text)
    except ValueError:
        number = float("nan")
    if not 0 < number <= 1:
        raise InputError(
            f"-k {text} is not understood: give the number of columns to select, such as 20, or a "
            "fraction of them between 0 and 1, such as 0.1."
        )
    return number


def count_features(wanted: int | float, n_columns: int, place: str) -> int:
    """Turn ``-k`` into K, between 1 and the number of columns.

    >>> count_features(0.5, 8, "table.csv")
    4
    """
    if isinstance(wanted, float):
        return max(round(wanted * n_columns), 1)
    if wanted < 1:
        raise InputError(f"-k {wanted} is too few: choose from 1 to {n_columns} columns.")
    if wanted > n_columns:
        raise InputError(
            f"-k {wanted} is more than the {n_columns} columns of {place} that there are to choose "
            f"from: choose from 1 to {n_columns}."
        )
    return wanted
