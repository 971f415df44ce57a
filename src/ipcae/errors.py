"""The exception and the warning of this package."""

from __future__ import annotations

import sys
import warnings


class InputError(ValueError):
    """Invalid input that the user can fix.

    The message says what was wrong, what was expected and how to fix it.
    """


class TrainingWarning(UserWarning):
    """A problem that did not prevent a fit from giving a result."""


def warn(message: str) -> None:
    """Issue a :class:`TrainingWarning` that points to the user's code."""
    frame, level = sys._getframe(1), 2
    while frame.f_back and frame.f_globals.get("__name__", "").startswith(("ipcae.", "sklearn.")):
        frame, level = frame.f_back, level + 1
    warnings.warn(message, TrainingWarning, stacklevel=level)
