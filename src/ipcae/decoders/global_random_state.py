"""Seed PyTorch's global random state for one network at a time."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager

import torch

_lock = threading.RLock()


def one_at_a_time() -> threading.RLock:
    """Return the lock of the threads that build or call custom networks."""
    return _lock


def _renew_lock() -> None:
    """Forget, in the child of a fork, the lock that a thread of the parent may hold."""
    global _lock
    _lock = threading.RLock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_renew_lock)


@contextmanager
def seeded(seed: int, device: torch.device | None = None) -> Iterator[None]:
    """Seed PyTorch's global random state in this block, for no other thread, and restore it."""
    devices = [device] if device is not None and device.type == "cuda" else []
    with _lock, torch.random.fork_rng(devices=devices):
        torch.manual_seed(seed)
        yield
