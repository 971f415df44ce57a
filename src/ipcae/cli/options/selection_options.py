"""The options of a selection, parsed and checked: what is read, fitted and written.

PyTorch and scikit-learn are imported only to check options that were given, so that a mistake is
reported at once.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from ipcae.cli.options.parsing import parse_format
from ipcae.data.text_format import TextFormat
from ipcae.errors import InputError
from ipcae.grids import Grid
from ipcae.text import listed, similar_name

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

MISSING, DATES = ("error", "impute", "drop"), ("ignore", "numbers")
"""The values of ``--missing`` and ``--dates``."""

RUNS, RUNS_OF_MANY_ROWS = 5, 3
"""The default number of runs, and that for 20,000 training rows or more."""

MAX_EPOCHS = 10_000_000
"""The largest number of epochs of all runs together."""

_Options = TypeVar("_Options", bound="DataclassInstance")


@dataclass(frozen=True)
class InputOptions:
    """Which table to read, and how to use its columns and rows."""

    table: Path
    target: str | None = None
    task: str | None = None
    drop: tuple[str, ...] = ()
    missing: str = "error"
    missing_values: tuple[str, ...] = ()
    time: str | None = None
    event: str | None = None
    layer: str | None = None
    batch_key: str | None = None
    id: tuple[str, ...] = ()
    groups: str | None = None
    weights: str | None = None
    sep: str | None = None
    decimal: str | None = None
    encoding: str | None = None
    dates: str = "ignore"
    counts_expected: bool = False
    stream: bool | None = None
    method: str | None = None
    needs_all_rows: bool = False

    def check(self) -> None:
        """Raise an error for invalid values, before any file is read."""
        for option, value, expected in (
            ("--missing", self.missing, MISSING),
            ("--dates", self.dates, DATES),
        ):
            if value not in expected:
                raise InputError(
                    f"{option} {value} is not understood: expected {', '.join(expected[:-1])} or "
                    f"{expected[-1]}."
                )

        if self.missing_values and self.table.suffix == ".h5ad":
            raise InputError(
                f"--missing-value is for tables, but {self.table} has cells: leave it out."
            )

    @property
    def estimator_options(self) -> dict[str, str]:
        """The arguments of a selector that say how columns are encoded."""
        return {"missing": "impute" if self.missing == "impute" else "error", "dates": self.dates}

    @property
    def text_format(self) -> TextFormat:
        """The given parts of the format of a text file."""
        return parse_format(self.sep, self.decimal, self.encoding)


@dataclass(frozen=True)
class FitOptions:
    """How to select and evaluate."""

    n_features: int | float | None
    method: str | None = None
    runs: int | None = None
    epochs: int | None = None
    test_fraction: float = 0.2
    seed: int = 0
    device: str = "auto"
    class_weight: str | None = None
    verdict: bool = True
    stability: int | None = None
    consensus: bool = False
    fdr: float | None = None
    counts: str | tuple[int | float, ...] | None = None
    cv: int | None = None
    scoring: str | None = None
    checkpoint: Path | None = None
    resume: bool = False
    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    together: tuple[str, ...] = ()
    at_most: tuple[str, ...] = ()
    costs: Path | None = None
    budget: float | None = None
    loss: str | None = None
    reconstruction_weight: float | None = None
    expression_limits: tuple[float | None, float | None] | None = None

    def check(self) -> None:
        """Raise an error for invalid values, before any file is read."""
        if self.method is not None and self.method != "auto":
            from ipcae.selectors import method_named

            method_named(self.method)
        if not 0 < self.test_fraction < 1:
            raise InputError(
                f"--test-fraction {self.test_fraction:g} is not a fraction: expected a number "
                "between 0 and 1, such as 0.2."
            )
        self._check_epochs()
        self._check_checkpoint()
        self._check_folds()
        self._check_subsamples()
        if self.n_features is None and self.budget is None:
            raise InputError(
                "Missing option -k, the number of columns to select, such as -k 20. If you do not "
                "know it, -k auto finds it by cross-validation."
            )
        if self.budget is not None and self.costs is None:
            raise InputError("--budget needs --costs FILE, the costs of the columns.")
        if self.class_weight not in (None, "balanced"):
            raise InputError(
                f"--class-weight {self.class_weight} is not understood: expected balanced."
            )
        weight = self.reconstruction_weight
        if weight is not None and not 0 <= weight <= 1:
            raise InputError(
                f"--reconstruction-weight {weight:g} is not understood: expected 0 to 1."
            )
        if not 0 <= self.seed < 2**32:
            raise InputError(f"--seed {self.seed} is not understood: expected 0 to {2**32 - 1}.")
        if self.device != "auto":
            from ipcae.devices import device_for

            device_for(self.device)

    def _check_epochs(self) -> None:
        for option, value in (("--runs", self.runs), ("--epochs", self.epochs)):
            if value is not None and value < 1:
                raise InputError(f"{option} {value} is too small: expected at least 1.")
        runs = self.runs or RUNS
        if self.epochs is not None and runs * self.epochs > MAX_EPOCHS:
            raise InputError(
                f"--runs {runs} of --epochs {self.epochs} are more than {MAX_EPOCHS:,} "
                "epochs in total: use fewer."
            )

    def _check_folds(self) -> None:
        if self.counts is None and self.cv is None:
            if self.scoring is not None:
                raise InputError(
                    "--scoring decides between numbers of columns: give several, such as "
                    "-k 5,10,20, or -k auto."
                )
            return
        if self.cv is not None and self.cv < 2:
            raise InputError(f"--cv {self.cv} is too few: expected at least 2 folds.")
        if self.scoring is not None:
            _check_scoring(self.scoring)
        if self.checkpoint is not None:
            raise InputError("A cross-validation cannot be resumed: leave out --checkpoint.")

    def _check_subsamples(self) -> None:
        if self.stability is not None and (self.stability < 2 or self.stability % 2):
            raise InputError(
                f"--stability {self.stability} is not understood: expected an even number of "
                "subsamples, such as 100, because they come in pairs."
            )
        if self.consensus and self.stability is None:
            raise InputError("--consensus needs --stability N, the number of subsamples.")
        if self.consensus and self.checkpoint is not None:
            raise InputError("Subsamples cannot be resumed: leave out --checkpoint or --consensus.")
        if self.fdr is None:
            return
        if not 0 < self.fdr < 1:
            raise InputError(f"--fdr {self.fdr:g} is not a rate: expected a number such as 0.1.")
        given = {
            "--include": self.include,
            "--together": self.together,
            "--exclude": self.exclude,
            "--at-most": self.at_most,
            "--costs": self.costs,
        }
        used = [option for option, value in given.items() if value]
        if used:
            raise InputError(
                f"--fdr does not work with {listed(used)}, which decoys cannot satisfy: leave it "
                "out, or --drop columns."
            )

    def _check_checkpoint(self) -> None:
        if self.checkpoint is None:
            if self.resume:
                raise InputError("--resume needs --checkpoint DIR, the folder to resume from.")
        elif not self.resume:
            from ipcae.training import Checkpoint

            if Checkpoint(self.checkpoint).in_use:
                raise InputError(
                    f"--checkpoint {self.checkpoint} contains an earlier training: resume it with "
                    "--resume, or use another folder."
                )


@dataclass(frozen=True)
class OutputOptions:
    """Where to write the results, and what to show meanwhile.

    ``live_port`` is the port of the training curves, 0 for any free one, or None for no curves.
    """

    out: Path
    grid: Grid | None = None
    force: bool = False
    quiet: bool = False
    live_port: int | None = None


def options_of(kind: type[_Options], given: Mapping[str, Any], **others: Any) -> _Options:
    """Return options with the values that are given by name; ``others`` come first.

    None stands for the default. Lists, as typer and JSON have them, become tuples.

    >>> options_of(InputOptions, {"table": Path("a.csv"), "id": ["row"], "drop": None, "k": 3}).id
    ('row',)
    """
    known = {field.name: given.get(field.name) for field in fields(kind)}
    values = {name: _plain(value) for name, value in known.items() if value is not None}
    return kind(**{**values, **others})


def _plain(value: Any) -> Any:
    if isinstance(value, Path):
        return value.expanduser()
    return tuple(value) if isinstance(value, list) else value


def _check_scoring(name: str) -> None:
    from sklearn.metrics import get_scorer_names

    if name in get_scorer_names():
        return
    near = similar_name(name, get_scorer_names())
    hint = f" Did you mean {near}?" if near else ""
    raise InputError(
        f"--scoring {name} is not the name of a score: expected one of scikit-learn's, such as "
        f"roc_auc or neg_log_loss.{hint}"
    )
