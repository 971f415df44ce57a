"""A fit on several processes, started by ``torchrun``: its runs or its rows are spread over them.

Every process executes the same program and has the same result in the end. Inside :func:`spread`,
``fit`` divides its work: the runs, each of which is trained by one process, or the rows of every
batch, whose gradients are summed.

>>> with spread("runs") as processes:  # without torchrun: a single process
...     processes.size, processes.first
(1, True)
"""

from ipcae.distributed.processes import Processes
from ipcae.distributed.spreading import WAYS, active, is_first, of_first_process, spread

__all__ = ["WAYS", "Processes", "active", "is_first", "of_first_process", "spread"]
