"""Turn the arguments of an estimator into constraints, and refuse impossible ones."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ipcae.constraints.columns import columns_of
from ipcae.constraints.constraints import Constraints
from ipcae.constraints.groups import groups_of
from ipcae.errors import InputError
from ipcae.text import count, listed


def read_constraints(
    names: Sequence[str], include: Any = None, exclude: Any = None, feature_groups: Any = None
) -> Constraints:
    """Resolve the arguments against the names of the columns.

    >>> constraints = read_constraints(["age", "MT-CO1", "MT-ND2"], include="age", exclude="^MT-")
    >>> constraints.included, constraints.excluded
    ((0,), (1, 2))
    """
    groups = groups_of(feature_groups, names)
    included = columns_of(include, names, "include", groups)
    excluded = columns_of(exclude, names, "exclude", groups)
    both = [names[column] for column in sorted(set(included) & set(excluded))]
    if both:
        raise InputError(
            f"{count(len(both), 'feature')} {'is' if len(both) == 1 else 'are'} both included and "
            f"excluded ({listed(both)}): remove {'it' if len(both) == 1 else 'them'} from one of "
            "the two."
        )
    if len(excluded) == len(names):
        raise InputError("exclude leaves no features to select: exclude fewer.")
    return Constraints(
        n_features=len(names),
        included=tuple(included),
        excluded=tuple(excluded),
        groups=tuple(groups.values()),
        group_names=tuple(groups),
    )


def require_feasible(constraints: Constraints, n_selected: int) -> None:
    """Raise an error if no selection of K features satisfies the constraints."""
    n_included, n_left = len(constraints.included_units), len(constraints.candidates)
    noun = "group" if constraints.groups else "feature"
    if n_included > n_selected:
        raise InputError(
            f"include has {count(n_included, noun)}, more than the {n_selected} to select: "
            f"include fewer, or select at least {n_included}."
        )
    if n_selected > n_included + n_left:
        left, total = n_included + n_left, len(constraints.units)
        reason = f"exclude leaves only {left} of {total}" if left < total else f"there are {total}"
        raise InputError(
            f"{n_selected} {noun}s are to be selected, but {reason}: select at most {left}."
        )
