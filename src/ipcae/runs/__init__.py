"""The run axis: which runs train together, and one random stream for each of them.

A *run* is one model: a seed, a learning rate, a penalty weight. All runs of a batch train at once
on tensors whose first axis is the run, and what a run computes never depends on its company.
"""

from ipcae.runs.batch import Runs
from ipcae.runs.stream import INITIAL, ROW_ORDER, DeviceStep, Stream

__all__ = ["INITIAL", "ROW_ORDER", "DeviceStep", "Runs", "Stream"]
