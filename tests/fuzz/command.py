"""Command lines: an exit code, and at most a one-sentence error."""

from __future__ import annotations

import contextlib
import io
import tempfile
from functools import lru_cache
from pathlib import Path

import numpy as np
import pandas as pd

from ipcae import RegressionSelector
from ipcae.cli.app import run
from ipcae.files import to_bytes
from tests.fuzz.dice import Dice
from tests.fuzz.outcome import check, check_sentence

ODD = [
    "",
    "-1",
    "0",
    "x",
    "nan",
    "1e400",
    "inf",
    "9" * 30,
    "/dev/null",
    "..",
    "\n",
    "é",
    "--",
    "a b",
]
VALUES = {
    "--task": ["classification", "regression", "reconstruction"],
    "--drop": ["b", "c"],
    "--method": ["ip-cae", "cae", "anova", "pfa", "lasso"],
    "--test-fraction": ["0.2", "0", "0.5"],
    "--seed": ["0", "1"],
    "--device": ["cpu", "auto"],
    "--grid": ["2x2", "2"],
    "--live-port": ["70000", "-3"],
}
TARGETS = [["--target", "label"], ["--target", "price", "--drop", "label"], ["--drop", "label"]]
FLAGS = [
    "--drop-missing",
    "--quiet",
    "--force",
    "--resume",
    "--proba",
    "--no-such-option",
    "--help",
]


def command_line(seed: int) -> bool:
    """Run a command line in this process."""
    dice = Dice("commands", seed)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        _fill(dice, folder)
        arguments = _arguments(dice, folder)
        code, err = _outcome(arguments)
        check(code in (0, 2), f"exit code {code} of {arguments}: {err[-300:]}")
        check("Traceback" not in err, f"{arguments}: {err[-300:]}")
        if code == 2 and err.startswith("error: "):
            check_sentence(err)
        if code == 0 and (folder / "out" / "selected.txt").exists():
            check((folder / "out" / "model.safetensors").stat().st_size, "a model is written")
    return code == 0


def _outcome(arguments: list[str]) -> tuple[int, str]:
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        code = run(arguments)
    return code, err.getvalue()


def _fill(dice: Dice, folder: Path) -> None:
    """Write a table, odd now and then, and a model of its columns."""
    X = dice.numbers.normal(size=(24, 4))
    table = pd.DataFrame(X, columns=list("abcd"))
    table = table.assign(label=np.where(X[:, 0] > 0, "sick", "well"), price=X[:, 1])
    if dice.chance(0.3):
        table.loc[dice.randrange(24), dice.choice("abcd")] = dice.choice([np.nan, np.inf, 1e300])
    table.to_csv(folder / "table.csv", index=False)
    (folder / "model.safetensors").write_bytes(_model())


@lru_cache(maxsize=1)
def _model() -> bytes:
    X = pd.DataFrame(np.random.default_rng(0).normal(size=(24, 4)), columns=list("abcd"))
    quick = {"max_epochs": 1, "decoder": (3,), "random_state": 0}
    return to_bytes(RegressionSelector(2, **quick).fit(X, X["a"]))


def _arguments(dice: Dice, folder: Path) -> list[str]:
    command = dice.often(["select", "select", "predict"], ["report", "other", "data"])
    table = dice.often([str(folder / "table.csv")], [str(folder), *ODD])
    if command == "select":
        given = [table, "-k", dice.often(["2", "0.5"], ODD), "--out", str(folder / "out")]
        given += ["--epochs", dice.often(["1", "2"], ODD[:6])]
        given += ["--runs", dice.often(["1"], ODD[:6])]
        given += dice.often(TARGETS, [[], ["--target", "nothing"], ["--target", ""]])
        for option in dice.sample(sorted(VALUES), dice.randrange(3)):
            given += [option, dice.often(VALUES[option], ODD)]
    elif command == "predict":
        model = dice.often([str(folder / "model.safetensors")], [str(folder / "table.csv"), *ODD])
        given = [model, table]
        if dice.chance(0.5):
            given += ["--out", dice.often([str(folder / "p.csv")], [str(folder), "", "/no/x.csv"])]
    elif command == "report":
        given = [dice.choice([str(folder), str(folder / "out"), *ODD])]
    else:
        given = [dice.choice(["list", "get", *ODD])] if dice.chance(0.5) else []
        given += ["no-such-set"] if given[:1] == ["get"] else []
    if dice.chance(0.3):
        given.insert(dice.randrange(len(given) + 1), dice.choice(FLAGS))
    return [command, *given]
