"""Checkpoints: a training that was killed continues as if nothing had happened.

A checkpoint is one safetensors file per phase, written whole or not at all. The random numbers of
a step depend on the run's seed and the step alone, so the state after an epoch is all there is to
keep, and a resumed training equals an undisturbed one bit for bit on the CPU.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import torch
from torch import Tensor

from ipcae.atomic import write_whole
from ipcae.errors import InputError
from ipcae.locks import locked
from ipcae.optional import optional
from ipcae.training.history import History
from ipcae.training.rows import Rows
from ipcae.training.state import State

_FORMAT = "ipcae-checkpoint-1"


@dataclass(frozen=True)
class Checkpoint:
    """Where and how often to save, and whether to continue what is there.

    Parameters
    ----------
    folder : Path
    every : int
        Save after so many epochs, and at the end of a phase.
    resume : bool
        Continue the training in the folder, if there is one.
    phase : str
        The part of the work that the file belongs to: training, then fine-tuning.
    """

    folder: Path
    every: int = 10
    resume: bool = False
    phase: str = "training"

    @property
    def path(self) -> Path:
        """The file of this phase."""
        return self.folder / f"{self.phase}.checkpoint"

    def of_phase(self, phase: str) -> Checkpoint:
        """Return the checkpoint of another phase in the same folder."""
        return replace(self, phase=phase)

    @contextmanager
    def held(self) -> Iterator[None]:
        """Keep other processes out of the folder during all phases."""
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise self._unwritable(error) from error
        with locked(self.folder):
            yield

    def prepare(self) -> None:
        """Find out before any work whether the folder can be used."""
        if self.path.exists() and not self.resume:
            raise InputError(
                f"{self.folder} already holds a checkpoint: continue it with resume=True, or "
                "choose another folder."
            )
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            (self.folder / ".probe").write_bytes(b"")
            (self.folder / ".probe").unlink()
        except OSError as error:
            raise self._unwritable(error) from error

    def _unwritable(self, error: OSError) -> InputError:
        return InputError(
            f"Cannot write checkpoints to {self.folder} ({error.strerror}): choose another folder."
        )

    def save(self, state: State, fingerprint: str) -> None:
        """Write the state in place of the previous one."""
        save = optional("safetensors.torch", "saving a checkpoint", "ipcae[files]").save
        run, epoch, metric, value = (state.history.columns()[c] for c in _COLUMNS)
        names = sorted(set(metric.tolist()))
        facts = {
            "fingerprint": fingerprint,
            "epoch": state.epoch,
            "seconds": state.seconds,
            "steps": state.optimizer.steps,
            "learning_rates": state.optimizer.learning_rates,
            "active": state.active,
            "status": state.status,
            "best_loss": state.best.loss,
            "best_epoch": state.best.epoch,
            "metrics": names,
        }
        tensors = {
            "history.run": torch.from_numpy(run.astype(np.int64)),
            "history.epoch": torch.from_numpy(epoch.astype(np.int64)),
            "history.metric": torch.tensor([names.index(m) for m in metric.tolist()]),
            "history.value": torch.from_numpy(value.astype(np.float64)),
        }
        for part, held in _parts(state).items():
            tensors |= {f"{part}.{name}": t.detach().contiguous() for name, t in held.items()}
        write_whole(self.path, save(tensors, {"format": _FORMAT, "facts": json.dumps(facts)}))

    def restore(self, state: State, fingerprint: str) -> State:
        """Return the saved state, or the given one where nothing was saved yet."""
        if not (self.resume and self.path.exists()):
            return state
        safetensors = optional("safetensors", "resuming", "ipcae[files]")
        try:
            with safetensors.safe_open(self.path, framework="pt") as file:
                metadata = file.metadata() or {}
                tensors = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
        except safetensors.SafetensorError as error:
            raise InputError(f"{self.path} is not a checkpoint, or is damaged: {error}.") from error
        if metadata.get("format") != _FORMAT:
            raise InputError(f"{self.path} is not a checkpoint of this version of ipcae.")
        facts = json.loads(metadata["facts"])
        if facts["fingerprint"] != fingerprint:
            raise InputError(
                f"The checkpoint in {self.folder} belongs to other data or settings: resume with "
                "the same ones, or choose another folder."
            )
        return _restored(state, facts, tensors)


_COLUMNS = ("run", "epoch", "metric", "value")


def _parts(state: State) -> dict[str, dict[str, Tensor]]:
    first, second = state.optimizer.moments
    return {"params": state.params, "best": state.best.params, "first": first, "second": second}


def _restored(state: State, facts: dict[str, object], tensors: dict[str, Tensor]) -> State:
    all_runs = state.active
    active: list[int] = facts["active"]  # type: ignore[assignment]
    if active != all_runs:
        state.keep([all_runs.index(run) for run in active])
    for part, held in _parts(state).items():
        for name, tensor in held.items():
            with torch.no_grad():
                tensor.copy_(tensors[f"{part}.{name}"])
    state.optimizer.continue_from(facts["steps"], state.params)  # type: ignore[arg-type]
    state.best.losses.copy_(torch.tensor(facts["best_loss"]))
    state.best.epochs.copy_(torch.tensor(facts["best_epoch"]))
    state.status = facts["status"]  # type: ignore[assignment]
    state.epoch, state.seconds = facts["epoch"], facts["seconds"]  # type: ignore[assignment]
    names: list[str] = facts["metrics"]  # type: ignore[assignment]
    state.history = History()
    run, epoch, metric, value = (tensors[f"history.{c}"].tolist() for c in _COLUMNS)
    for r, e, m, v in zip(run, epoch, metric, value, strict=True):
        state.history.add(e, names[m], [r], [v])
    return state


def fingerprint(*parts: object) -> str:
    """Return a checksum of settings and rows, to tell whether a checkpoint belongs to them."""
    digest = hashlib.sha256()
    for item in parts:
        if isinstance(item, Rows):
            for tensor in (item.inputs, item.targets, item.weights):
                if tensor is not None:
                    digest.update(tensor.detach().cpu().contiguous().numpy().data)
        else:
            # Functions print their address, which changes from process to process.
            digest.update(re.sub(r" at 0x[0-9a-f]+", "", repr(item)).encode())
    return digest.hexdigest()
