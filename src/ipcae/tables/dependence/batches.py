"""A batch of measurements, such as a plate, that tells the target and many columns."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pandas as pd

from ipcae.tables.dependence.between_groups import (
    classes_of,
    codes_of,
    given_target,
    share_between,
    share_by_chance,
)

_NAME = re.compile(
    r"(^|[\W_])(batch|plate|lane|chip|slide|flowcell|scanner|sequencer|instrument|operator|run"
    r"|site|cent(er|re)|hospital|clinic|lab(oratory)?)([\W_]?(id|nr|no|number|code|name))?$",
    re.I,
)
_LEAST = 0.05  # share of the variance between batches
_SHARE = 0.25  # of the columns
_MOST_COLUMNS = 1000


def confounded_batch(X: pd.DataFrame, numbers: pd.DataFrame, y: Any) -> str | None:
    """Return a column with the name of a batch, between which target and columns differ, or None.

    More than a quarter of the columns differ between rows of a similar target: what predicts the
    target in these batches may only tell the batches apart.

    >>> random = np.random.default_rng(0)
    >>> plate = np.arange(120) // 20
    >>> sick = random.random(120) < np.where(plate < 3, 0.8, 0.2)
    >>> values = random.normal(size=(120, 5)) + random.normal(size=(6, 5))[plate]
    >>> plates, numbers = pd.DataFrame({"plate": plate}), pd.DataFrame(values)
    >>> confounded_batch(plates, numbers, sick)
    'plate'
    >>> confounded_batch(plates, numbers, random.permutation(sick)) is None
    True
    """
    if np.ndim(y) != 1:
        return None
    codes = codes_of(np.asarray(y))
    targets = classes_of(codes)
    for name in X.columns:
        if not _NAME.search(str(name)) or X[name].isna().any():
            continue
        batches, values = pd.factorize(X[name])
        if not 2 <= len(values) <= len(X) / 2:
            continue
        enough = max(_LEAST, share_by_chance(len(X), len(values)))
        if share_between(targets, batches).max() <= enough:
            continue
        columns = numbers.drop(columns=name, errors="ignore").iloc[:, :_MOST_COLUMNS]
        shares = share_between(given_target(columns.to_numpy(), codes), batches)
        if len(shares) and (shares > enough).mean() > _SHARE:
            return str(name)
    return None
