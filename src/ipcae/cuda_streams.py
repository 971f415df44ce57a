"""CUDA streams that are reserved for one training.

PyTorch assigns the 32 streams of its pool in turn, so two trainings may get the same stream. A
kernel that one launches while the other captures would then become part of the other's graph.
Streams reserved here are never shared between owners that are alive.
"""

from __future__ import annotations

import threading
import weakref

import torch

_lock = threading.Lock()
_free: dict[torch.device, list[torch.cuda.Stream]] = {}


def reserve_stream(device: torch.device, owner: object) -> torch.cuda.Stream:
    """Return a stream on the device that is reserved as long as ``owner`` is alive."""
    with _lock:
        free = _free.setdefault(device, [])
        stream = free.pop() if free else torch.cuda.Stream(device)
    # list.append is atomic: a finalizer may run while this thread holds the lock.
    weakref.finalize(owner, free.append, stream)
    return stream
