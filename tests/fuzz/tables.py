"""Random tables and targets, ordinary and hostile, in every common container."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import torch
from scipy import sparse

from tests.fuzz.dice import Dice

NAMES = ["a", "b", "spend_$_per_$", "é", "line\nbreak", "=1+1", "", " ", "x" * 300, "0", "y", "𝟙"]


def rows(dice: Dice) -> np.ndarray:
    """Return a small table of numbers, often with something odd in it."""
    n_rows = dice.often(range(4, 41), [0, 1, 2, 3], 0.08)
    n_columns = dice.often(range(2, 11), [0, 1, 30], 0.05)
    X = dice.numbers.normal(size=(n_rows, n_columns)) * dice.often([1.0], [1e-30, 1e6, 1e20])
    for _ in range(dice.often([0], [1, 2, 3], 0.4)):
        if X.size:
            dice.choice(SPOILERS)(dice, X)
    return X


def _any_cell(dice: Dice, X: np.ndarray) -> tuple[int, int]:
    return dice.randrange(X.shape[0]), dice.randrange(X.shape[1])


def _set_cell(dice: Dice, X: np.ndarray) -> None:
    odd = [np.nan, np.inf, -np.inf, 1e300, -1e308, 1e-310, 1e38, 1e39, 1e154, 1e20]
    X[_any_cell(dice, X)] = dice.choice(odd)


def _scale_column(dice: Dice, X: np.ndarray) -> None:
    with np.errstate(over="ignore", under="ignore", invalid="ignore"):
        X[:, _any_cell(dice, X)[1]] *= 10.0 ** dice.randint(-320, 308)


def _constant_column(dice: Dice, X: np.ndarray) -> None:
    X[:, _any_cell(dice, X)[1]] = dice.choice([0.0, 1.0, 1e300, -5e-324, 0.1])


def _same_column(dice: Dice, X: np.ndarray) -> None:
    X[:, _any_cell(dice, X)[1]] = X[:, _any_cell(dice, X)[1]]


def _same_rows(dice: Dice, X: np.ndarray) -> None:
    X[:] = X[:1]


def _shift_column(dice: Dice, X: np.ndarray) -> None:
    X[:, _any_cell(dice, X)[1]] += dice.choice([1e8, 1e16, -1e20])


def _few_values(dice: Dice, X: np.ndarray) -> None:
    X[:] = np.where(np.isfinite(X), np.sign(X), X)


SPOILERS = [_set_cell, _scale_column, _constant_column, _same_column, _same_rows, _shift_column]
SPOILERS += [_few_values, _set_cell, _scale_column]


def container(dice: Dice, X: np.ndarray) -> Any:
    """Return the rows in one of the forms that people keep them in."""
    with np.errstate(all="ignore"):
        return dice.one_of(CONTAINERS)(dice, X)


def _array(dice: Dice, X: np.ndarray) -> Any:
    dtype = dice.often(
        ["f8", "f4"],
        [
            "f2",
            ">f8",
            ">f4",
            "i1",
            "u1",
            "i8",
            "u8",
            ">i2",
            "?",
            "O",
            "g",
            "c16",
            "U",
            "S",
            "M8[s]",
        ],
        0.25,
    )
    array = X.astype(dtype)
    form = dice.randrange(6)
    if form == 1:
        array = np.asfortranarray(array)
    elif form == 2:
        array = array[::-1, ::-1]
    elif form == 3:
        array.flags.writeable = False
    elif form == 4:
        array = np.ma.masked_invalid(array) if array.dtype.kind == "f" else array
    return array


def _frame(dice: Dice, X: np.ndarray) -> Any:
    n_columns = X.shape[1]
    names: Any = dice.often(
        [
            [f"c{i}" for i in range(n_columns)],
            list(range(n_columns)),
            [NAMES[i % len(NAMES)] + str(i // len(NAMES)) for i in range(n_columns)],
        ],
        [["same"] * n_columns, [i if i % 2 else str(i) for i in range(n_columns)]],
    )
    frame = pd.DataFrame(X, columns=names)
    if dice.chance(0.3):
        frame.index = dice.sample(range(1000), len(frame))
    if not n_columns or names == ["same"] * n_columns:
        return frame
    name = dice.choice(names)
    odd = dice.often([None], ODD_COLUMNS, 0.3)
    if odd is not None:
        frame = frame.assign(**{name: odd(frame[name])}) if isinstance(name, str) else frame
    return frame


ODD_COLUMNS = [
    lambda column: column.astype("Float64"),
    lambda column: (column > 0).astype("boolean"),
    lambda column: (column > 0).astype("Int8"),
    lambda column: column.astype("category"),
    lambda column: column.astype(str),
    lambda column: column.astype(object),
    lambda column: column.astype(pd.SparseDtype("float64")),
    lambda column: column.astype(">f8"),
    lambda column: column.astype("float16"),
    lambda column: column > 0,
    lambda column: pd.Timestamp("2020-01-01"),
    lambda column: None,
    lambda column: [[1]] * len(column),
    lambda column: pd.array([pd.NA] * len(column), dtype="Int64"),
]


def _polars(dice: Dice, X: np.ndarray) -> Any:
    frame = pl.DataFrame(X, schema=[f"c{i}" for i in range(X.shape[1])])
    if X.shape[1] and dice.chance(0.3):
        column = pl.col("c0")
        odd = [column.cast(pl.Float32), column.cast(pl.String), column > 0, column.implode()]
        odd += [column.cast(pl.String).cast(pl.Categorical), pl.lit(None), pl.concat_list(column)]
        frame = frame.with_columns(dice.choice(odd).alias("c0"))
    return frame


def _sparse(dice: Dice, X: np.ndarray) -> Any:
    form = dice.choice([sparse.csr_matrix, sparse.csc_array, sparse.coo_matrix, sparse.lil_matrix])
    return form(np.where(np.abs(X) < 0.5, 0.0, X).astype(dice.choice(["f8", "f4"])))


def _tensor(dice: Dice, X: np.ndarray) -> Any:
    dtypes = [torch.float32, torch.float64]
    odd = [torch.float16, torch.bfloat16, torch.int8, torch.bool, torch.complex64, torch.int64]
    tensor = torch.from_numpy(X.copy()).to(dice.often(dtypes, odd, 0.25))
    form = dice.randrange(5)
    if form == 1:
        return tensor.t().contiguous().t()
    if form == 2:
        return tensor.to_sparse()
    if form == 3 and tensor.is_floating_point():
        return tensor.requires_grad_()
    return tensor


def _lists(dice: Dice, X: np.ndarray) -> Any:
    return X.tolist()


def _garbage(dice: Dice, X: np.ndarray) -> Any:
    return dice.choice(
        [
            None,
            "table.csv",
            3.0,
            [],
            [[]],
            [[1.0], [1.0, 2.0]],
            X[0] if len(X) else X,
            X[None],
            torch.from_numpy(X)[None],
            torch.zeros(3),
            {"a": [1.0, 2.0]},
            np.array("x"),
            pd.Series([1.0, 2.0]),
            pl.Series([1.0, 2.0]),
            object(),
        ]
    )


CONTAINERS = [_array, _array, _frame, _frame, _polars, _sparse, _tensor, _tensor, _lists]
ODD_CONTAINERS = [_garbage]


def any_container(dice: Dice, X: np.ndarray) -> Any:
    """Return the rows in a form that people use or, seldom, something that is no table."""
    return _garbage(dice, X) if dice.chance(0.03) else container(dice, X)


def target(dice: Dice, X: np.ndarray, task: str) -> Any:
    """Return a target of the right kind or, now and then, of a wrong one."""
    n_rows = len(X)
    if dice.chance(0.05):
        return dice.choice([None, "y", 3, [], np.zeros((n_rows, 2, 2)), np.zeros(n_rows + 1), X])
    first = X[:, 0] if X.shape[1] else np.zeros(n_rows)
    usual, odd = (NUMBERS, CLASSES) if task == "regression" else (CLASSES, NUMBERS)
    makers = odd if dice.chance(0.03) else usual[:6] if dice.chance(0.7) else usual
    with np.errstate(all="ignore"):
        y = dice.one_of(makers)(dice, np.nan_to_num(first))
        try:
            return dice.one_of(TARGET_FORMS)(y)
        except (
            TypeError,
            ValueError,
            NotImplementedError,
        ):  # a container that does not take such values
            return y


CLASSES = [
    lambda dice, x: (x > 0).astype(int),
    lambda dice, x: np.where(x > 0, "yes", "no"),
    lambda dice, x: x > 0,
    lambda dice, x: dice.numbers.integers(0, 4, len(x)),
    lambda dice, x: np.where(x > 0, 1.0, 2.0),
    lambda dice, x: dice.numbers.integers(0, 2, (len(x), 3)),
    lambda dice, x: np.zeros(len(x), dtype=int),
    lambda dice, x: np.arange(len(x)),
    lambda dice, x: np.where(x > 0, None, "a"),
    lambda dice, x: np.array([1, "b"] * len(x), dtype=object)[: len(x)],
    lambda dice, x: np.where(x > 0, np.nan, 1.0),
    lambda dice, x: (x > 0).astype(int)[:, None],
    lambda dice, x: np.where(x > 0, b"yes", b"no"),
    lambda dice, x: np.where(x > 0, np.datetime64("2020-01-01"), np.datetime64("2021-01-01")),
    lambda dice, x: (x > 0).astype(np.uint64) * np.uint64(2**64 - 1),
]
NUMBERS = [
    lambda dice, x: x,
    lambda dice, x: x * 2,
    lambda dice, x: np.stack([x, -x], axis=1),
    lambda dice, x: x[:, None],
    lambda dice, x: np.full(len(x), 3.0),
    lambda dice, x: x * 10.0 ** dice.randint(-320, 308),
    lambda dice, x: np.where(np.arange(len(x)) == 0, dice.choice([np.nan, np.inf, 1e300, 1e40]), x),
    lambda dice, x: np.arange(len(x)),
    lambda dice, x: x.astype(np.float16),
    lambda dice, x: x.astype(">f4"),
    lambda dice, x: x.astype(object),
    lambda dice, x: x.astype(str),
    lambda dice, x: x.astype(np.longdouble),
    lambda dice, x: x * 1j,
]


def _tensor_target(y: np.ndarray) -> Any:
    return torch.from_numpy(y.astype("f8")).bfloat16() if y.dtype.kind in "fiub" else y


def _categories(y: np.ndarray) -> Any:
    return pd.Series(y).astype("category") if y.ndim == 1 else pd.DataFrame(y)


TARGET_FORMS = [
    lambda y: y,
    lambda y: y,
    lambda y: y,
    lambda y: y.tolist(),
    lambda y: pd.Series(y, index=range(7, 7 + len(y))) if y.ndim == 1 else pd.DataFrame(y),
    _categories,
    _tensor_target,
    lambda y: pl.Series(y.tolist(), strict=False) if y.ndim == 1 else y,
    lambda y: sparse.csr_matrix(y) if y.ndim == 2 and y.dtype.kind in "iu" else y,
]
