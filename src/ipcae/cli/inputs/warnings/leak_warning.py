"""Warn of likely leaks before the training, which would be in vain."""

from __future__ import annotations

from typing import Any

import torch

from ipcae.cli.inputs.described_columns import DescribedColumns
from ipcae.cli.messages import Messages
from ipcae.estimators.one_fit.far_targets import predicts_numbers
from ipcae.evaluation import Sample
from ipcae.evaluation.leaks import leaks_sentence, likely_leaks
from ipcae.evaluation.weighted_sums import factors_of_target, terms_of_target
from ipcae.rows import Rows
from ipcae.tasks import Task
from ipcae.text import listed


def warn_of_leaks(
    described: DescribedColumns, labels: Any, task: type[Task], messages: Messages
) -> None:
    """Warn of columns that predict the target almost perfectly, alone or as a weighted sum."""
    coded = described.coded
    inputs = torch.from_numpy(coded if coded.flags.writeable else coded.copy())
    read = task.read(labels, inputs)
    sample = Sample(Rows(inputs, read.encode(labels, inputs)))
    if leaks := likely_leaks(read, sample, described.encoding.names):
        messages.warn(leaks_sentence(leaks))
    elif predicts_numbers(task):
        _warn_of_calculation(described, labels, messages)


def _warn_of_calculation(described: DescribedColumns, labels: Any, messages: Messages) -> None:
    """Warn if the target was calculated from several columns."""
    for what, find in (("weighted sum", terms_of_target), ("product", factors_of_target)):
        if used := find(described.coded, labels):
            names = listed([described.encoding.names[column] for column in used])
            messages.warn(
                f"the target is a {what} of {len(used)} columns ({names}), as if it had been "
                "calculated from them. Unless you look for the best of these columns, leave them "
                "out with --drop."
            )
            return
