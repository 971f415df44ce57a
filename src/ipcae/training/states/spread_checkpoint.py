"""Checkpoints of a training that is spread over processes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace

from ipcae.distributed import Processes, active
from ipcae.errors import InputError
from ipcae.training.states.checkpoint import Checkpoint
from ipcae.training.states.state import State


def checkpoint_of_process(checkpoint: Checkpoint | None) -> Checkpoint | None:
    """Return the checkpoint that this process uses."""
    processes = active()
    if checkpoint is None or processes is None:
        return checkpoint
    if processes.rows:
        return SharedCheckpoint(**vars(checkpoint), processes=processes)
    folder = checkpoint.folder / f"process-{processes.rank}-of-{processes.size}"
    return ProcessCheckpoint(**vars(replace(checkpoint, folder=folder)), processes=processes)


@dataclass(frozen=True)
class SharedCheckpoint(Checkpoint):
    """The checkpoint of processes that have the same state: the first one reads and writes it.

    It can be resumed by any number of processes.
    """

    processes: Processes = Processes()

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Check and lock the folder in the first process."""
        if not self.processes.first:
            yield
            return
        with super().locked():
            yield

    def save(self, state: State, fingerprints: Mapping[str, str]) -> None:
        """Save the state in the first process."""
        if self.processes.first:
            super().save(state, fingerprints)

    def _content(self) -> bytes | None:
        """Return what the first process finds in the file."""
        return self.processes.of_first(super()._content() if self.processes.first else None)


@dataclass(frozen=True)
class ProcessCheckpoint(Checkpoint):
    """The checkpoint of one of several processes with different runs, in its own folder."""

    processes: Processes = Processes()

    def require_unused(self) -> None:
        """Raise an error if the folder belongs to another number of processes."""
        whole = self.folder.parent
        others = {path.name.partition("-of-")[2] for path in whole.glob("process-*-of-*")}
        others.discard(str(self.processes.size))
        if others or Checkpoint(whole).in_use:
            n_others = min(others, default="1")
            raise InputError(
                f"{whole} already contains the checkpoints of {n_others} processes, not of "
                f"{self.processes.size}: start as many, or choose another folder."
            )
        super().require_unused()
