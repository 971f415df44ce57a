"""Checkpoints: a training that was killed continues with the same result.

A checkpoint is one file per phase, written atomically. The random numbers of a step depend on the
run's seed and the step alone, so the state after an epoch is all that has to be saved, and a
resumed training equals an uninterrupted one bit for bit on the CPU.
"""

from __future__ import annotations

import hashlib
import json
import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor

from ipcae.atomic import write_whole
from ipcae.errors import InputError, TrainingWarning
from ipcae.locks import locked
from ipcae.optional import optional
from ipcae.training.history import History
from ipcae.training.phases import Phase
from ipcae.training.state import State

_FORMAT = b"ipcae-checkpoint-2\n"
_SUFFIX = ".checkpoint"
_COLUMNS = ("run", "epoch", "phase", "metric", "value")


@dataclass(frozen=True)
class Checkpoint:
    """Where and how often to save, and whether to continue what is there.

    Parameters
    ----------
    folder : Path
    every : int
        Save after every ``every`` epochs, and at the end of a phase.
    resume : bool
        Continue the training in the folder, if there is one.
    phase : Phase
        The phase that the file belongs to.
    """

    folder: Path
    every: int = 10
    resume: bool = False
    phase: Phase = Phase.SELECTING

    @property
    def path(self) -> Path:
        """The file of this phase."""
        return self.folder / f"{self.phase}{_SUFFIX}"

    @property
    def in_use(self) -> bool:
        """Whether the folder holds a checkpoint of any phase."""
        return any((self.folder / f"{phase}{_SUFFIX}").exists() for phase in Phase)

    def of_phase(self, phase: Phase) -> Checkpoint:
        """Return the checkpoint of another phase in the same folder."""
        return replace(self, phase=phase)

    @contextmanager
    def held(self) -> Iterator[None]:
        """Check the folder, and keep other processes out of it during all phases."""
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise self._unwritable(error) from error
        with locked(self.folder):
            self.prepare()
            yield

    def prepare(self) -> None:
        """Check that the folder can be used, before any work."""
        if self.in_use and not self.resume:
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

    def save(self, state: State, fingerprints: Mapping[str, str]) -> None:
        """Replace the previous state by this one; a failure is a warning, not an end."""
        content = _to_bytes(state, fingerprints)
        try:
            write_whole(self.path, content)
        except (OSError, InputError) as error:  # the latter if the folder has gone
            reason = getattr(error, "strerror", None) or str(error).rstrip(".")
            warnings.warn(
                f"The checkpoint after epoch {state.epoch} could not be written to {self.path} "
                f"({reason}). Training continues and will try again.",
                TrainingWarning,
                stacklevel=2,
            )

    def restore(self, state: State, fingerprints: Mapping[str, str]) -> State:
        """Return the saved state, or the given one if nothing was saved yet."""
        if not (self.resume and self.path.exists()):
            return state
        facts, tensors = _from_bytes(self.path.read_bytes(), self.path)
        saved = facts["fingerprints"]
        changed = [name for name, mark in fingerprints.items() if saved.get(name) != mark]
        if changed:
            raise InputError(
                f"The checkpoint in {self.folder} belongs to other data or settings "
                f"({', '.join(changed)}): resume with the same ones, or choose another folder."
            )
        return _restored(state, facts, tensors)


def _parts(state: State) -> dict[str, dict[str, Tensor]]:
    first, second = state.optimizer.moments
    return {"params": state.params, "best": state.best.params, "first": first, "second": second}


def _to_bytes(state: State, fingerprints: Mapping[str, str]) -> bytes:
    """Return a header with a checksum, then a safetensors file."""
    save = optional("safetensors.torch", "saving a checkpoint", "ipcae[files]").save
    run, epoch, phase, metric, value = (state.history.columns()[name] for name in _COLUMNS)
    names, phases = sorted(set(metric.tolist())), sorted(set(phase.tolist()))
    facts = {
        "fingerprints": dict(fingerprints),
        "epoch": state.epoch,
        "seconds": state.seconds,
        "steps": state.optimizer.steps,
        "active": state.active,
        "status": state.status,
        "best_loss": state.best.loss,
        "best_epoch": state.best.epoch,
        "metrics": names,
        "phases": phases,
    }
    tensors = {
        "history.run": torch.from_numpy(run.astype(np.int64)),
        "history.epoch": torch.from_numpy(epoch.astype(np.int64)),
        "history.phase": torch.tensor([phases.index(p) for p in phase.tolist()]),
        "history.metric": torch.tensor([names.index(m) for m in metric.tolist()]),
        "history.value": torch.from_numpy(value.astype(np.float64)),
    }
    for part, held in _parts(state).items():
        tensors |= {f"{part}.{name}": t.detach().contiguous() for name, t in held.items()}
    content: bytes = save(tensors, {"facts": json.dumps(facts)})
    return _FORMAT + hashlib.sha256(content).digest() + content


def _from_bytes(content: bytes, path: Path) -> tuple[dict[str, Any], dict[str, Tensor]]:
    """Return what :func:`_to_bytes` wrote, once its checksum is right."""
    safetensors = optional("safetensors", "resuming", "ipcae[files]")
    load = optional("safetensors.torch", "resuming", "ipcae[files]").load
    if not content.startswith(_FORMAT):
        raise InputError(f"{path} is not a checkpoint of this version of ipcae, or is damaged.")
    start = len(_FORMAT) + hashlib.sha256().digest_size
    body = content[start:]
    if hashlib.sha256(body).digest() != content[len(_FORMAT) : start]:
        raise InputError(
            f"{path} is damaged (its checksum differs): delete it to start this phase again, or "
            "choose another folder."
        )
    try:
        header = json.loads(body[8 : 8 + int.from_bytes(body[:8], "little")])
        return json.loads(header["__metadata__"]["facts"]), load(body)
    except (ValueError, KeyError, safetensors.SafetensorError) as error:
        raise InputError(f"{path} is not a checkpoint of ipcae ({error}).") from error


def _restored(state: State, facts: dict[str, Any], tensors: dict[str, Tensor]) -> State:
    all_runs, active = state.active, facts["active"]
    if active != all_runs:
        state.keep([all_runs.index(run) for run in active])
    for part, held in _parts(state).items():
        for name, tensor in held.items():
            with torch.no_grad():
                tensor.copy_(tensors[f"{part}.{name}"])
    state.optimizer.continue_from(facts["steps"], state.params)
    state.best.losses.copy_(torch.tensor(facts["best_loss"]))
    state.best.epochs.copy_(torch.tensor(facts["best_epoch"]))
    state.status = facts["status"]
    state.epoch, state.seconds = facts["epoch"], facts["seconds"]
    metrics, phases = facts["metrics"], facts["phases"]
    state.history = History()
    columns = (tensors[f"history.{name}"].tolist() for name in _COLUMNS)
    for run, epoch, phase, metric, value in zip(*columns, strict=True):
        state.history.add(epoch, phases[phase], metrics[metric], [run], [value])
    return state
