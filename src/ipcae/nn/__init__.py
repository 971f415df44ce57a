"""The selection layer and its parts as ordinary PyTorch modules, for networks of your own.

A module here is one model: its tensors have no run axis. It computes with the same functions as
the estimators, with a run axis of one.
"""

from ipcae.nn.annealed import Annealed
from ipcae.nn.concrete_categorical import ConcreteCategorical
from ipcae.nn.concrete_select import ConcreteSelect
from ipcae.nn.indirect_logits import IndirectLogits

__all__ = ["Annealed", "ConcreteCategorical", "ConcreteSelect", "IndirectLogits"]
