"""The curves in TensorBoard, while they grow."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ipcae.optional import optional
from ipcae.training import EpochReport


class TensorBoardLogger:
    """Write every metric of every run for TensorBoard.

    Each run has a folder of its own, ``run-0``, ``run-1``, …, which TensorBoard draws into the same
    charts: ``tensorboard --logdir FOLDER``. Needs ``ipcae[tensorboard]``.

    Parameters
    ----------
    folder : str or Path
        Where to write; made if it is not there. Take a new one for every fit.
    """

    def __init__(self, folder: str | Path):
        # Asked for now, so that a missing package is known before the training.
        optional("torch.utils.tensorboard", "TensorBoardLogger", "ipcae[tensorboard]")
        self.folder = Path(folder).expanduser()
        self._writers: dict[int, Any] = {}

    def __call__(self, report: EpochReport) -> None:
        """Write the metrics of this epoch."""
        for position, run in enumerate(report.runs):
            writer = self._writer(run)
            for name, values in report.per_run.items():
                writer.add_scalar(f"{report.phase}/{name}", values[position], report.epoch)
            writer.flush()
        if report.last:
            self.close()

    def close(self) -> None:
        """Close the files; another epoch would open new ones beside them."""
        for writer in self._writers.values():
            writer.close()
        self._writers = {}

    def _writer(self, run: int) -> Any:
        if run not in self._writers:
            module = optional("torch.utils.tensorboard", "TensorBoardLogger", "ipcae[tensorboard]")
            self._writers[run] = module.SummaryWriter(str(self.folder / f"run-{run}"))
        return self._writers[run]

    def __getstate__(self) -> dict[str, Any]:
        # Open files cannot be copied; a copy opens its own.
        return {**self.__dict__, "_writers": {}}
