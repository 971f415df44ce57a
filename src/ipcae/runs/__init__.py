"""Runs that are trained in one batch, and their random numbers.

A *run* is one model with a seed, a learning rate, a penalty weight and a number of features; its
rows may have their own weights. All runs of a batch are trained together, with
tensors whose first axis is the run. Results are identical whether a run is trained alone or in a
batch.
"""

from ipcae.runs.philox_counter import DeviceStep
from ipcae.runs.runs import Runs
from ipcae.runs.stream import INITIAL, ROW_ORDER, BatchPart, Stream

__all__ = ["INITIAL", "ROW_ORDER", "BatchPart", "DeviceStep", "Runs", "Stream"]
