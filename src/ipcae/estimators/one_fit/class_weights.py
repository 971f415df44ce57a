"""Row weights by class."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from sklearn.utils import compute_sample_weight
from torch import Tensor

from ipcae.errors import InputError, invalid_argument
from ipcae.tasks import Task


def class_weights(class_weight: Any, task: Task, targets: Tensor) -> Tensor:
    """Return the weight of every row, with mean 1. Shape: targets (N,) -> (N,), float32.

    >>> from ipcae.tasks import Classification
    >>> task = Classification(np.array(["a", "b"]))
    >>> class_weights("balanced", task, torch.tensor([0, 0, 0, 1]))
    tensor([0.6667, 0.6667, 0.6667, 2.0000])
    """
    if targets.ndim != 1:
        raise InputError(
            f"class_weight={class_weight!r} needs one class per row, but y is a matrix of labels: "
            "pass sample_weight instead."
        )
    classes = task.head.classes
    assert classes is not None
    if isinstance(class_weight, str) and class_weight == "balanced":
        weights = compute_sample_weight("balanced", targets.cpu().numpy())
    elif isinstance(class_weight, dict):
        unknown = [key for key in class_weight if key not in classes.tolist()]
        values = [class_weight.get(label, 1.0) for label in classes.tolist()]
        if unknown or not _are_weights(values):
            raise invalid_argument(
                "class_weight",
                class_weight,
                f"a non-negative number for each of the classes {classes.tolist()[:10]}, not all "
                "of them 0",
            )
        weights = np.asarray(values, dtype=np.float64)[targets.cpu().numpy()]
        weights = weights / weights.mean()
    else:
        raise invalid_argument(
            "class_weight", class_weight, '"balanced", a dict of class to weight, or None'
        )
    return torch.from_numpy(np.asarray(weights, dtype=np.float32)).to(targets.device)


def _are_weights(values: list[Any]) -> bool:
    numbers = all(isinstance(v, int | float) and np.isfinite(v) and v >= 0 for v in values)
    return numbers and any(v > 0 for v in values)
