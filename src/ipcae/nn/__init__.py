"""The selection layer and its parts as PyTorch modules, for use in other networks.

The tensors of these modules have no run axis. The modules use the same functions as the estimators,
with a run axis of length one.
"""

from ipcae.nn.annealed import Annealed
from ipcae.nn.concrete_categorical import ConcreteCategorical
from ipcae.nn.concrete_select import ConcreteSelect
from ipcae.nn.indirect_logits import IndirectLogits

__all__ = ["Annealed", "ConcreteCategorical", "ConcreteSelect", "IndirectLogits"]
