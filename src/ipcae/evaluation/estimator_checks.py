"""Reject what is not a selector."""

from __future__ import annotations

from typing import Any

from ipcae.errors import InputError


def require_selector(estimator: Any, more: str = "", name: str = "estimator") -> None:
    """Raise an error unless the estimator is a selector; ``more`` ends the sentence.

    >>> require_selector([3, 7])
    Traceback (most recent call last):
    ...
    ipcae.errors.InputError: estimator is a list: expected a selector of ipcae, such as \
ClassificationSelector().
    """
    if isinstance(estimator, type):
        given = f"the class {estimator.__name__}"
    elif not hasattr(estimator, "_task"):
        given = f"a {type(estimator).__name__}"
    else:
        return
    raise InputError(
        f"{name} is {given}: expected a selector of ipcae, such as ClassificationSelector(){more}."
    )
