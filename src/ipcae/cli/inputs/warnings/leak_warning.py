"""Warn of likely leaks before the training, which would be in vain."""

from __future__ import annotations

from typing import Any

import torch

from ipcae.cli.inputs.described_columns import DescribedColumns
from ipcae.cli.messages import Messages
from ipcae.evaluation import Sample
from ipcae.evaluation.leaks import leaks_sentence, likely_leaks
from ipcae.rows import Rows
from ipcae.tasks import Task


def warn_of_leaks(
    described: DescribedColumns, labels: Any, task: type[Task], messages: Messages
) -> None:
    """Warn of columns that alone predict the target almost perfectly."""
    coded = described.coded
    inputs = torch.from_numpy(coded if coded.flags.writeable else coded.copy())
    read = task.read(labels, inputs)
    sample = Sample(Rows(inputs, read.encode(labels, inputs)))
    if leaks := likely_leaks(read, sample, described.encoding.names):
        messages.warn(leaks_sentence(leaks))
