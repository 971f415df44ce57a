"""Malformed tables in files: read as they are, or rejected."""

from __future__ import annotations

import gzip
import io
import tempfile
from pathlib import Path

import numpy as np
import pandas as pd

from ipcae.data import read_table
from tests.fuzz.damage import damaged
from tests.fuzz.dice import Dice
from tests.fuzz.outcome import check

CELLS = [
    "",
    "1",
    "-2.5",
    "1e999",
    "nan",
    "NA",
    "inf",
    "x",
    '"',
    '"a,b"',
    '"a\nb"',
    "é",
    "\0",
    "1,5",
]
CELLS += [
    "0x10",
    "2020-01-01",
    "True",
    "\ufeff",
    " 1 ",
    "''",
    "9" * 400,
    "\t",
    ";",
    "\r",
    "#",
    "\\",
]
ENDINGS = [".csv", ".tsv", ".csv.gz", ".tsv.gz", ".parquet", ".npz"]


def malformed_table(seed: int) -> bool:
    """Read a file that somebody wrote by hand, or that was damaged on its way."""
    dice = Dice("tables", seed)
    ending = dice.choice(ENDINGS)
    content = _content(dice, ending)
    if dice.chance(0.6):
        content = damaged(dice, content)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "table" + dice.often([ending], ENDINGS))
        path.write_bytes(content)
        table = read_table(path)
    check(len(table) > 0, "a table has rows")
    check(table.shape[1] > 0, "a table has columns")
    check(table.columns.is_unique, "columns have different names")
    return True


def _content(dice: Dice, ending: str) -> bytes:
    if ending == ".npz":
        return _npz(dice)
    if ending == ".parquet":
        return _parquet(dice)
    separator = "\t" if "tsv" in ending else ","
    text = _text(dice, separator).encode(dice.often(["utf-8"], ["latin-1", "utf-16"]), "replace")
    return gzip.compress(text) if ending.endswith(".gz") else text


def _text(dice: Dice, separator: str) -> str:
    n_columns, end = dice.randrange(1, 6), dice.often(["\n"], ["\r\n", "\r"])
    names = [dice.often(list("abcdefgh"), [*CELLS, "a"], 0.1) for _ in range(n_columns)]
    lines = [separator.join(names)]
    for _ in range(dice.randrange(8)):
        width = n_columns if dice.chance(0.95) else dice.randrange(8)
        cells = [dice.often(["1", "2.5", "-3", "0"], CELLS, 0.05) for _ in range(width)]
        lines.append(separator.join(cells))
    return end.join(lines) + dice.choice(["", end, end * 3])


def _frame(dice: Dice) -> pd.DataFrame:
    frame = pd.DataFrame(dice.numbers.normal(size=(4, 3)), columns=list("abc"))
    odd = [["x"] * 4, [[1, 2]] * 4, [{"k": 1}] * 4, [b"\xff"] * 4, [None] * 4, [1, None, 2, 3]]
    odd += [pd.date_range("2020", periods=4), pd.Categorical(list("abab")), [True] * 4]
    if dice.chance(0.6):
        frame["d"] = dice.choice(odd)
    if dice.chance(0.2):
        frame = frame.set_index("a")
    if dice.chance(0.1):
        frame = frame.iloc[:0]
    return frame


def _parquet(dice: Dice) -> bytes:
    buffer = io.BytesIO()
    _frame(dice).to_parquet(buffer)
    return buffer.getvalue()


def _npz(dice: Dice) -> bytes:
    X = dice.numbers.normal(size=(5, 3))
    arrays = {
        "X": dice.often(
            [X, X.astype(">f8"), X.astype("f4"), X.astype(int)],
            [
                X[0],
                X[None],
                X[:0],
                X[:, :0],
                X * 1j,
                X.astype(str),
                np.array(3.0),
                X.astype(object),
            ],
            0.3,
        )
    }
    if dice.chance(0.5):
        arrays["y"] = dice.choice([np.arange(5), np.arange(4), np.array("x"), np.array([b"a"] * 5)])
    if dice.chance(0.5):
        names = [
            list("abc"),
            list("ab"),
            ["a"] * 3,
            [1, 2, 3],
            "abc",
            ["", "b", "c"],
            ["y", "a", "b"],
        ]
        arrays["feature_names"] = np.array(dice.choice(names))
    if dice.chance(0.1):
        arrays["x"] = arrays.pop("X")
    buffer = io.BytesIO()
    dice.choice([np.savez, np.savez_compressed])(buffer, **arrays)
    return buffer.getvalue()
