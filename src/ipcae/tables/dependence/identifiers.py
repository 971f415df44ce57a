"""Columns that seem to say which rows belong together, such as the visits of a patient."""

from __future__ import annotations

import re

import numpy as np
import pandas as pd

from ipcae.arrays import Floats
from ipcae.tables.encodings.encoding import Encoding

_NAME = re.compile(
    r"(^|[\W_])[up]?id$"
    r"|^(patient|subject|participant|donor|person|animal|customer|user|household|machine)"
    r"([\W_]?(id|nr|no|number|code))?$",
    re.I,
)
_CAMEL_CASE = re.compile(r"[a-z]I[Dd]$")
_FEWEST_GROUPS, _FEWEST_ROWS = 5, 1.2  # rows per group, on average


def columns_of_groups(frame: pd.DataFrame, encoding: Encoding, coded: Floats) -> list[str]:
    """Return columns whose values are repeated and identify something, by their name.

    >>> table = pd.DataFrame({"patient_id": [8, 8, 5, 5, 9, 9, 2, 2, 3, 3], "age": range(10)})
    >>> encoding = Encoding.of(table)
    >>> columns_of_groups(table, encoding, encoding.code(table).numpy())
    ['patient_id']
    """
    found = []
    for index, (name, coding) in enumerate(zip(encoding.names, encoding.codings, strict=True)):
        named = bool(_NAME.search(name) or _CAMEL_CASE.search(name))
        text = coding.kind == "text"
        if coding.n_missing or not named or coding.kind == "date":
            continue
        values = frame.iloc[:, index] if text else coded[:, index]
        distinct = np.asarray(pd.unique(values))
        if not _FEWEST_GROUPS <= len(distinct) <= len(values) / _FEWEST_ROWS:
            continue
        if text or np.all(distinct % 1 == 0):
            found.append(name)
    return found
