"""The constraints restricted to some of the columns."""

from __future__ import annotations

from ipcae.arrays import Integers
from ipcae.constraints.constraints import Constraints


def among(constraints: Constraints, columns: Integers) -> Constraints:
    """Return the constraints of a table that has only these columns, in this order.

    >>> import numpy as np
    >>> given = Constraints(6, included=(4,), excluded=(0, 1), groups=((2, 5),))
    >>> fewer = among(given, np.array([1, 2, 4, 5]))
    >>> fewer.included, fewer.excluded, fewer.groups
    ((2,), (0,), ((1, 3),))
    """
    place = {int(column): position for position, column in enumerate(columns)}

    def kept(features: tuple[int, ...]) -> tuple[int, ...]:
        return tuple(place[feature] for feature in features if feature in place)

    names = constraints.group_names or ("",) * len(constraints.groups)
    groups = [(kept(group), name) for group, name in zip(constraints.groups, names, strict=True)]
    groups = [(group, name) for group, name in groups if group]
    return Constraints(
        len(columns),
        kept(constraints.included),
        kept(constraints.excluded),
        kept(constraints.avoided),
        tuple(group for group, _ in groups),
        tuple(name for _, name in groups) if constraints.group_names else (),
    )
