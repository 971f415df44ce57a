"""Turn the arguments of an estimator into constraints, and refuse impossible ones."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ipcae.constraints.columns import columns_of
from ipcae.constraints.constraints import Constraints
from ipcae.errors import InputError
from ipcae.text import count, listed


def read_constraints(names: Sequence[str], include: Any = None, exclude: Any = None) -> Constraints:
    """Resolve the arguments against the names of the columns.

    >>> read_constraints(["age", "MT-CO1", "MT-ND2"], include="age", exclude="^MT-")
    Constraints(n_features=3, included=(0,), excluded=(1, 2), avoided=())
    """
    included = columns_of(include, names, "include")
    excluded = columns_of(exclude, names, "exclude")
    both = [names[column] for column in sorted(set(included) & set(excluded))]
    if both:
        raise InputError(
            f"{count(len(both), 'feature')} {_are(both)} both included and excluded "
            f"({listed(both)}): remove {'it' if len(both) == 1 else 'them'} from one of the two."
        )
    if len(excluded) == len(names):
        raise InputError("exclude leaves no features to select: exclude fewer.")
    return Constraints(len(names), tuple(included), tuple(excluded))


def require_feasible(constraints: Constraints, n_selected: int) -> None:
    """Raise an error if no selection of K features satisfies the constraints."""
    n_included, n_left = len(constraints.included), len(constraints.candidates)
    if n_included > n_selected:
        raise InputError(
            f"include has {count(n_included, 'feature')}, more than the {n_selected} to select: "
            f"include fewer, or select at least {n_included}."
        )
    if n_selected > n_included + n_left:
        raise InputError(
            f"{n_selected} features are to be selected, but exclude leaves only "
            f"{n_included + n_left} of {constraints.n_features}: select or exclude fewer."
        )


def _are(items: list[str]) -> str:
    return "is" if len(items) == 1 else "are"
