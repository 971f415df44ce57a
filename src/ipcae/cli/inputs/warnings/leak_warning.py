"""Warn of likely leaks before the training, which would be in vain."""

from __future__ import annotations

from typing import Any

import torch

from ipcae.cli.inputs.described_columns import DescribedColumns
from ipcae.cli.messages import Messages
from ipcae.evaluation import Sample
from ipcae.evaluation.combined_target import parts_of_target
from ipcae.evaluation.leaks import likely_leaks
from ipcae.evaluation.table_checks import leak_sentences
from ipcae.rows import Rows
from ipcae.tasks import Task


def warn_of_leaks(
    described: DescribedColumns, labels: Any, task: type[Task], messages: Messages
) -> None:
    """Warn of columns that predict the target almost perfectly, alone or as parts of a total."""
    coded = described.coded
    inputs = torch.from_numpy(coded if coded.flags.writeable else coded.copy())
    read = task.read(labels, inputs)
    sample = Sample(Rows(inputs, read.encode(labels, inputs)))
    names = described.encoding.names
    leaks, parts = likely_leaks(read, sample, names), parts_of_target(read, sample, names)
    for sentence in leak_sentences(leaks, parts):
        messages.warn(sentence)
