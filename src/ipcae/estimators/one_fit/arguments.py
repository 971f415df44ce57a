"""Parse and check the arguments of an estimator, one function per argument."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from numbers import Integral, Real
from pathlib import Path
from typing import Any

import numpy as np
import torch
from sklearn.utils import check_random_state

from ipcae.decoders import CustomDecoder, Decoder, Mlp, linear_decoder
from ipcae.errors import InputError, invalid_argument, refuse_class
from ipcae.ops import PRECISIONS
from ipcae.schedules import Constant, Cosine, Schedule, Warmup
from ipcae.selectors import METHODS, Method, method_named
from ipcae.tables import SCALES
from ipcae.tasks import Task
from ipcae.training import Callback, Checkpoint
from ipcae.training.choices.refitting import BEST
from ipcae.training.plan import auto_epochs


def is_auto(value: Any) -> bool:
    """Return whether an argument is "auto"; it may also be an array or an object."""
    return isinstance(value, str) and value == "auto"


def method_for(method: str | Method, noise_draws: int | str | None, task: type[Task]) -> Method:
    """Return the method for a task, with ``noise_draws`` if given."""
    if is_auto(method):
        raise InputError(
            'method="auto" compares methods in fit of a selector and cannot be used here: name a '
            'method, such as the method_ that a fit with "auto" chose.'
        )
    chosen = method_named(method)
    if not chosen.supports(task):
        suited = [name for name, other in METHODS.items() if other.supports(task)]
        needed = {
            "target": "a target of classes or numbers" if task.censored else "a target",
            "classes": "classes",
            "numbers": "numbers",
            "times": "times and events",
        }
        raise InputError(
            f"method={method!r} needs {needed[str(chosen.needs)]} to predict and cannot be used "
            f"for {task.name}: expected one of {', '.join(suited)}."
        )
    if noise_draws is None or "noise_draws" not in getattr(chosen, "__dataclass_fields__", ()):
        return chosen
    if noise_draws != "row" and not is_count(noise_draws):
        raise invalid_argument(
            "noise_draws",
            noise_draws,
            'the number of draws per batch, a positive integer, or "row" for one per row',
        )
    draws = noise_draws if noise_draws == "row" else int(noise_draws)
    return replace(chosen, noise_draws=draws)  # type: ignore[type-var]


def decoder_for(decoder: Any, default: Decoder) -> Decoder:
    """Turn a name, widths of hidden layers, a decoder or a function into a decoder."""
    refuse_class("decoder", decoder, "init")
    if isinstance(decoder, str):
        named = {"auto": default, "linear": linear_decoder(), "mlp": Mlp()}
        if decoder in named:
            return named[decoder]
    elif isinstance(decoder, tuple | list) and all(is_count(width) for width in decoder):
        return Mlp(hidden=tuple(int(width) for width in decoder))
    elif isinstance(decoder, torch.nn.Module):
        raise InputError(
            f"decoder is a {type(decoder).__name__} that is already built: pass a function of "
            "(n_inputs, n_outputs) that builds one, because every run needs a new decoder."
        )
    elif hasattr(decoder, "init") and hasattr(decoder, "apply"):
        return decoder
    elif callable(decoder):
        return CustomDecoder(decoder)
    raise invalid_argument(
        "decoder",
        decoder,
        "'auto', 'linear', 'mlp', the widths of the hidden layers such as (200, 200), a decoder "
        "such as Mlp(dropout=0.1), or a function of (n_inputs, n_outputs) that returns an "
        "nn.Module",
    )


SCHEDULES: dict[str, Schedule] = {
    "constant": Constant(),
    "warmup": Warmup(),
    "cosine": Cosine(),
}


def schedule_for(schedule: Any) -> Schedule:
    """Turn a name or a function into a learning rate schedule.

    >>> schedule_for("warmup")
    Warmup(fraction=0.125, start=0.001)
    """
    refuse_class("schedule", schedule, "__call__")
    if isinstance(schedule, str) and schedule in SCHEDULES:
        return SCHEDULES[schedule]
    if callable(schedule):
        return schedule
    raise invalid_argument(
        "schedule",
        schedule,
        f"one of {', '.join(SCHEDULES)}, or a function of the training progress, from 0 to 1",
    )


def positive(value: Any, name: str, or_else: str = "") -> int:
    """Check that a value is a positive integer; ``or_else`` names the alternatives."""
    if not is_count(value):
        raise invalid_argument(name, value, f"a positive integer{or_else}")
    if value >= 2**31:
        raise InputError(f"{name}={value!r} is too large: expected less than 2³¹.")
    return int(value)


def truth(value: Any, name: str) -> bool:
    """Check that a value is True or False."""
    if not isinstance(value, bool | np.bool_):
        raise invalid_argument(name, value, "True or False")
    return bool(value)


def is_count(value: Any) -> bool:
    """Return whether a value is a positive integer."""
    return not isinstance(value, bool | type) and hasattr(value, "__index__") and value >= 1


def _is_number(value: Any) -> bool:
    return isinstance(value, Real) and not isinstance(value, bool) and math.isfinite(value)


def scale_for(scale: str | bool | None) -> str | None:
    """Check the scaling; True means "auto", False means None."""
    if not scale:
        return None
    if scale is True:
        return "auto"
    if scale not in SCALES:
        raise InputError(
            f"Unknown scale={scale!r}: expected one of {', '.join(SCALES)}, or None for no scaling."
        )
    return scale


ENCODINGS = {
    "categories": ("auto", "error"),
    "missing": ("error", "impute"),
    "dates": ("ignore", "numbers"),
}
"""How columns are encoded: the values of these arguments."""


def check_encodings(given: Mapping[str, Any]) -> None:
    """Check the arguments that say how columns are encoded."""
    for name, expected in ENCODINGS.items():
        if not isinstance(given[name], str) or given[name] not in expected:
            raise invalid_argument(name, given[name], " or ".join(map(repr, expected)))


def batch_size_for(batch_size: int | str) -> int | None:
    """Check the batch size; return None for "auto"."""
    return None if is_auto(batch_size) else positive(batch_size, "batch_size", " or 'auto'")


def learning_rate_for(learning_rate: Any) -> Any:
    """Check the learning rate: a number, or a sequence with one per run."""
    rates = learning_rate if hasattr(learning_rate, "__len__") else [learning_rate]
    if isinstance(rates, str | dict | set) or not all(
        _is_number(rate) and rate >= 0 for rate in rates
    ):
        raise invalid_argument(
            "learning_rate", learning_rate, "a non-negative, finite number, or one per run"
        )
    return learning_rate


def weight_decay_for(weight_decay: Any) -> float:
    """Check the weight decay."""
    if not (_is_number(weight_decay) and weight_decay >= 0):
        raise invalid_argument("weight_decay", weight_decay, "a non-negative, finite number")
    return float(weight_decay)


def validation_fraction_for(validation_fraction: Any) -> float | None:
    """Check the fraction; None and 0 mean that no rows are held out."""
    if validation_fraction is None or validation_fraction is False:
        return None
    if not (_is_number(validation_fraction) and 0 <= validation_fraction < 1):
        raise InputError(
            f"validation_fraction={validation_fraction!r} is not a fraction: expected a number "
            "between 0 and 1, or None to validate on the training rows."
        )
    return float(validation_fraction) or None


def max_epochs_for(
    max_epochs: int | str, task: Task | type[Task], n_rows: int = 0, tall: bool = False
) -> int:
    """Return the number of epochs; "auto" depends on the task and on the shape of the table."""
    if is_auto(max_epochs):
        tall = tall and task.tall_decoder is not None
        return auto_epochs(n_rows, fewer=tall or task.large_decoder is not None, tall=tall)
    return positive(max_epochs, "max_epochs", or_else=" or 'auto'")


def patience_for(early_stopping: Any, max_epochs: int) -> int | None:
    """Return the patience in epochs; True means a quarter of ``max_epochs``, at least 5.

    "auto" means a tenth, at least 10, for runs whose selection is settled.
    """
    if early_stopping is False or early_stopping is None:
        return None
    if is_auto(early_stopping):
        return max(max_epochs // 10, 10)
    if early_stopping is True:
        return max(max_epochs // 4, 5)
    return positive(early_stopping, "early_stopping", ", True, False or 'auto'")


def fine_tune_epochs_for(fine_tune: bool | int, max_epochs: int, fewest: int = 1) -> int:
    """Return the number of fine-tuning epochs; True means a fifth of ``max_epochs``."""
    if fine_tune is True:
        return max(max_epochs // 5, fewest)
    return 0 if not fine_tune else positive(fine_tune, "fine_tune", ", True or False")


def refit_for(refit: Any) -> bool | str:
    """Check which decoders are refitted: all, none, or that of the best run."""
    if isinstance(refit, str) and refit != BEST:
        raise InputError(f"refit={refit!r} is not understood: expected True, False or {BEST!r}.")
    return refit if isinstance(refit, str) else bool(refit)


def checkpoint_for(checkpoint: Any, resume: bool) -> Checkpoint | None:
    """Turn a path or a :class:`Checkpoint` into a checkpoint that resumes if asked to."""
    if checkpoint is None:
        if resume:
            raise InputError("resume=True requires checkpoint, the folder to resume from.")
        return None
    if not isinstance(checkpoint, Checkpoint):
        checkpoint = Checkpoint(Path(checkpoint))
    return replace(checkpoint, resume=bool(resume) or checkpoint.resume)


def callbacks_for(callbacks: Any) -> tuple[Callback, ...]:
    """Turn None, a function or a list of functions into a tuple of functions.

    >>> callbacks_for(print)
    (<built-in function print>,)
    """
    several = list(callbacks) if isinstance(callbacks, list | tuple) else [callbacks]
    if callbacks is None:
        return ()
    for callback in several:
        refuse_class("callbacks", callback, "__call__")
        if not callable(callback):
            raise InputError(
                f"callbacks={callbacks!r} is not understood: expected a function that is called "
                "with an EpochReport after every epoch, or a list of such functions. Pass "
                "scikit-learn callbacks to set_callbacks()."
            )
    return tuple(several)


def random_for(random_state: Any) -> np.random.RandomState:
    """Return the generator of a random state as in scikit-learn."""
    try:
        return check_random_state(random_state)
    except ValueError as error:
        expected = "an int from 0 to 2³² − 1, a numpy.random.RandomState or None"
        raise invalid_argument("random_state", random_state, expected) from error


def seed_for(random_state: Any) -> int:
    """Return a seed: an int as it is, or a number drawn from the random state.

    >>> seed_for(7)
    7
    """
    random = random_for(random_state)
    if isinstance(random_state, Integral):
        return int(random_state)
    return int(random.randint(2**31 - 1))


def precision_for(precision: Any) -> str:
    """Check the precision of matrix products on a GPU; "auto" means TF32."""
    # NOTE[DIFF]: in training on a GPU, the operands of matrix products are rounded to TF32; the
    # paper uses float32. docs/experiments/precision.md compares the resulting tables.
    if precision == "auto":
        return "tf32"
    if not isinstance(precision, str) or precision not in PRECISIONS:
        raise invalid_argument(
            "precision", precision, f"'auto', {', '.join(repr(name) for name in PRECISIONS)}"
        )
    return str(precision)
