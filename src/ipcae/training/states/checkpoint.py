"""Checkpoints, from which an interrupted training resumes with the same result.

A checkpoint is one file per phase, written atomically. The random numbers of a step depend only on
the seed of the run and the step, so only the state after an epoch has to be saved. On the CPU, the
result of a resumed training is bitwise identical to that of an uninterrupted one.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor

from ipcae.errors import InputError, warn
from ipcae.filesystem.atomic import write_whole
from ipcae.filesystem.locks import locked
from ipcae.optional import optional
from ipcae.training.phases import Phase
from ipcae.training.states.history import History
from ipcae.training.states.state import State

_FORMAT = b"ipcae-checkpoint-2\n"
_SUFFIX = ".checkpoint"
_COLUMNS = ("run", "epoch", "phase", "metric", "value")


@dataclass(frozen=True)
class Checkpoint:
    """Where and how often to save the state of a training, and whether to resume it.

    Parameters
    ----------
    folder : Path
    every : int
        Save after every ``every`` epochs and at the end of a phase.
    resume : bool
        Whether to resume the training saved in the folder, if any.
    phase : Phase
        The phase of the training.
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
        """Whether the folder contains a checkpoint of any phase."""
        return any((self.folder / f"{phase}{_SUFFIX}").exists() for phase in Phase)

    def of_phase(self, phase: Phase) -> Checkpoint:
        """Return the checkpoint of another phase in the same folder."""
        return replace(self, phase=phase)

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Check the folder and lock it against other processes during all phases."""
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            (self.folder / ".probe").write_bytes(b"")
            (self.folder / ".probe").unlink(missing_ok=True)
        except OSError as error:
            raise InputError(
                f"Cannot write checkpoints to {self.folder} ({error.strerror}): choose another "
                "folder."
            ) from error
        with locked(self.folder):
            self.require_unused()
            yield

    def require_unused(self) -> None:
        """Raise an error if the folder has a checkpoint that is not to be resumed."""
        if self.in_use and not self.resume:
            raise InputError(
                f"{self.folder} already contains a checkpoint: resume it with resume=True, or "
                "choose another folder."
            )

    def save(self, state: State, fingerprints: Mapping[str, str]) -> None:
        """Save the state; warn if this fails, and continue."""
        content = _to_bytes(state, fingerprints)
        try:
            write_whole(self.path, content)
        except (OSError, InputError) as error:  # InputError: the folder was deleted
            reason = str(getattr(error, "strerror", None) or error).rstrip(".")
            warn(
                f"The checkpoint after epoch {state.epoch} could not be written to {self.path} "
                f"({reason}). Training continues and will try again."
            )

    def _content(self) -> bytes | None:
        """Return the content of the file, or None if there is none."""
        return self.path.read_bytes() if self.path.exists() else None

    def restore(self, state: State, fingerprints: Mapping[str, str]) -> State:
        """Return the saved state, or ``state`` if there is none."""
        content = self._content() if self.resume else None
        if content is None:
            return state
        facts, tensors = _from_bytes(content, self.path)
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
    for part, params in _parts(state).items():
        tensors |= {f"{part}.{name}": t.detach().contiguous() for name, t in params.items()}
    content: bytes = save(tensors, {"facts": json.dumps(facts)})
    return _FORMAT + hashlib.sha256(content).digest() + content


def _from_bytes(content: bytes, path: Path) -> tuple[dict[str, Any], dict[str, Tensor]]:
    """Check the checksum and return what :func:`_to_bytes` wrote."""
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
    for part, params in _parts(state).items():
        for name, tensor in params.items():
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
