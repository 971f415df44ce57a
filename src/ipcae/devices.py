"""The device of a fit, and its free memory."""

from __future__ import annotations

import multiprocessing
import os
import re
import sys
from contextlib import suppress

import torch

from ipcae.errors import InputError, invalid_argument


def device_for(device: str | torch.device) -> torch.device:
    """Return the device; ``"auto"`` is a CUDA GPU if one is available.

    The workers of dask, joblib or multiprocessing get the GPUs in turn. Ray and ``torchrun`` give
    every process its own.

    >>> device_for("cpu")
    device(type='cpu')
    """
    if device == "auto":
        if not torch.cuda.is_available():
            return torch.device("cpu")
        return gpu_in_turn(worker_number(), torch.cuda.device_count())
    try:
        chosen = torch.device(device)
    except (RuntimeError, TypeError) as error:
        raise invalid_argument("device", device, "'auto', 'cpu' or 'cuda'") from error
    if chosen.type == "cuda" and not torch.cuda.is_available():
        raise InputError(
            f"device={device!r} is not available: PyTorch finds no CUDA device. Use device='auto' "
            "or 'cpu'."
        )
    try:
        torch.zeros(1, device=chosen).item()
    except (RuntimeError, AssertionError, NotImplementedError) as error:
        raise InputError(
            f"device={device!r} is not available: PyTorch cannot use it. Use device='auto' or "
            "'cpu'."
        ) from error
    return chosen


def gpu_in_turn(worker: int | None, n_gpus: int) -> torch.device:
    """Return the GPU of a worker, or the current one in a process that is no worker.

    >>> gpu_in_turn(None, 2), gpu_in_turn(3, 2), gpu_in_turn(3, 1)
    (device(type='cuda'), device(type='cuda', index=1), device(type='cuda'))
    """
    if worker is None or n_gpus == 1:
        return torch.device("cuda")
    return torch.device("cuda", worker % n_gpus)


def worker_number() -> int | None:
    """Return the number of this process among the workers of a pool, or None if it is no worker.

    >>> worker_number() is None
    True
    """
    name = multiprocessing.current_process().name  # such as LokyProcess-1, SpawnPoolWorker-2
    if "distributed.worker" in sys.modules:
        with suppress(ValueError):  # not in a task of a worker
            name = str(sys.modules["distributed.worker"].get_worker().name)  # such as 0
    found = re.search(r"[0-9]+$", name)
    return int(found[0]) if found else None


def free_bytes(device: torch.device) -> int | None:
    """Return the free memory of the device, or None if it is unknown."""
    if device.type == "cuda":
        return int(torch.cuda.mem_get_info(device)[0])
    try:
        with open("/proc/meminfo") as lines:
            known = dict(line.split(":") for line in lines)
        return int(known["MemAvailable"].split()[0]) * 1024
    except (OSError, KeyError, ValueError):
        pass
    try:
        return os.sysconf("SC_AVPHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, OSError, ValueError):
        return None
