"""A callback that logs metrics to TensorBoard."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ipcae.optional import optional
from ipcae.training import EpochReport


class TensorBoardLogger:
    """Log every metric of every run to TensorBoard.

    Each run is logged to a separate folder, ``run-0``, ``run-1``, …, which
    ``tensorboard --logdir FOLDER`` shows in the same charts. Requires ``ipcae[tensorboard]``.

    Parameters
    ----------
    folder : str or Path
        The folder to write to, created if necessary. Use a new one for every fit.

    See Also
    --------
    ipcae.callbacks.EpochReport : What a callback is called with.
    ipcae.plots.TrainingDisplay : Curves of the training.

    Examples
    --------
    >>> from ipcae import ClassificationSelector
    >>> from ipcae.callbacks import TensorBoardLogger
    >>> selector = ClassificationSelector(4, callbacks=TensorBoardLogger("logs/first"))
    """

    def __init__(self, folder: str | Path):
        # Imported here, so that a missing package raises an error before the training.
        optional("torch.utils.tensorboard", "TensorBoardLogger", "ipcae[tensorboard]")
        self.folder = Path(folder).expanduser()
        self._writers: dict[int, Any] = {}

    def __call__(self, report: EpochReport) -> None:
        """Log the metrics of this epoch."""
        for position, run in enumerate(report.runs):
            writer = self._writer(run)
            for name, values in report.per_run.items():
                writer.add_scalar(f"{report.phase}/{name}", values[position], report.epoch)
            writer.flush()
        if report.last:
            self.close()

    def close(self) -> None:
        """Close the files; later epochs are written to new files."""
        for writer in self._writers.values():
            writer.close()
        self._writers = {}

    def _writer(self, run: int) -> Any:
        if run not in self._writers:
            module = optional("torch.utils.tensorboard", "TensorBoardLogger", "ipcae[tensorboard]")
            self._writers[run] = module.SummaryWriter(str(self.folder / f"run-{run}"))
        return self._writers[run]

    def __getstate__(self) -> dict[str, Any]:
        # Open files cannot be copied or pickled.
        return {**self.__dict__, "_writers": {}}
