"""The exceptions and the warning of this package."""

from __future__ import annotations

import re
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager

_QUOTED = re.compile(r"array=|\[|[-+]?[\d.]")  # how lines begin that show an array


class InputError(ValueError):
    """Invalid input that the user can fix.

    The message says what was wrong, what was expected and how to fix it.

    See Also
    --------
    TrainingWarning : Issued if a result should be treated with care.

    Examples
    --------
    >>> import numpy as np
    >>> from ipcae import InputError, ReconstructionSelector
    >>> try:
    ...     ReconstructionSelector(9).fit(np.eye(4))
    ... except InputError as error:
    ...     print(error)
    n_features_to_select=9 is more than the 4 features of X: choose from 1 to 4.
    """


class InputTypeError(InputError, TypeError):
    """Input of a type that scikit-learn refuses with a TypeError."""


class LostProcessError(RuntimeError):
    """Another process of a training that is spread over several has ended."""


class TrainingWarning(UserWarning):
    """A problem that did not prevent a fit from giving a result.

    See Also
    --------
    InputError : Raised for input that the user can fix.

    Examples
    --------
    >>> import warnings
    >>> from ipcae import TrainingWarning
    >>> with warnings.catch_warnings():
    ...     warnings.simplefilter("error", TrainingWarning)  # in this block, raise it
    """


class MissingCodeWarning(TrainingWarning):
    """Numbers such as -999 in X may stand for missing values."""


class FarTargetWarning(TrainingWarning):
    """A few values of y are far from all others."""


def invalid_argument(name: str, value: object, expected: str) -> InputError:
    """Return the error for an argument that does not have an expected value.

    >>> invalid_argument("device", "tpu", "'auto', 'cpu' or 'cuda'")
    InputError("device='tpu' is not understood: expected 'auto', 'cpu' or 'cuda'.")
    """
    return InputError(f"{name}={value!r} is not understood: expected {expected}.")


def refuse_class(name: str, value: object, method: str) -> None:
    """Raise an error if an argument is a class with this method instead of an object of it."""
    if isinstance(value, type) and hasattr(value, method):
        raise InputError(
            f"{name} is the class {value.__name__}: expected an object, such as {value.__name__}()."
        )


def warn(message: str, category: type[TrainingWarning] = TrainingWarning) -> None:
    """Issue a :class:`TrainingWarning` that points to the user's code."""
    frame, level = sys._getframe(1), 2
    while frame.f_back and frame.f_globals.get("__name__", "").startswith(("ipcae.", "sklearn.")):
        frame, level = frame.f_back, level + 1
    warnings.warn(message, category, stacklevel=level)


@contextmanager
def as_input_error() -> Iterator[None]:
    """Turn what a scikit-learn check raises in this block into an error of one line.

    >>> with as_input_error():
    ...     raise ValueError("Expected 2D array:\\narray=[1 2].\\nReshape your data.")
    Traceback (most recent call last):
    ...
    ipcae.errors.InputError: Expected 2D array: Reshape your data.
    """
    try:
        yield
    except (InputError, MemoryError):
        raise
    except Exception as error:
        # Without the values of an array, which the message may quote.
        lines = [line.strip() for line in str(error).splitlines()]
        kept = lines[:1] + [line for line in lines[1:] if line and not _QUOTED.match(line)]
        sentence = " ".join(kept)
        kind = InputTypeError if isinstance(error, TypeError) else InputError
        raise kind(sentence or type(error).__name__) from error
