"""CUDA graphs of work that is repeated: captured once, then replayed."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Hashable, Iterator
from contextlib import contextmanager

import torch

from ipcae.cuda_streams import reserve_stream
from ipcae.schedules import TensorProgress

logger = logging.getLogger("ipcae")

_CAPTURING = threading.Lock()  # PyTorch allows one capture at a time per process
_KEPT_BYTES = 2**30  # of memory that is reserved, but not used


def release_graph_memory(device: torch.device) -> None:
    """Return the memory of graphs that are not used any more to the device, if it is large.

    PyTorch would keep it until this process runs out of memory, and other processes could not use
    it.
    """
    if device.type != "cuda":
        return
    unused = torch.cuda.memory_reserved(device) - torch.cuda.memory_allocated(device)
    if unused > _KEPT_BYTES:
        with _CAPTURING:
            torch.cuda.empty_cache()


class Graphs:
    """Run work eagerly, then capture it, then replay it; work in ``seen`` was run before."""

    def __init__(self, progress: TensorProgress, device: torch.device):
        self.progress = progress
        self.device = device
        self.capturable = device.type == "cuda"
        self.main_stream = reserve_stream(device, self) if self.capturable else None
        self.side_stream = reserve_stream(device, self) if self.capturable else None
        self.seen: set[Hashable] = set()
        self.graphs: dict[Hashable, torch.cuda.CUDAGraph] = {}

    @contextmanager
    def stream(self) -> Iterator[None]:
        """Run the block on a reserved stream, because the default stream cannot be captured."""
        if self.main_stream is None:
            yield
            return
        with torch.cuda.device(self.device):
            current = torch.cuda.current_stream(self.device)
            self.main_stream.wait_stream(current)
            try:
                with torch.cuda.stream(self.main_stream):
                    yield
            finally:
                current.wait_stream(self.main_stream)

    def run(self, key: Hashable, work: Callable[[], None]) -> None:
        """Run some work, named by a key, in the fastest way possible so far."""
        if self.capturable and key in self.seen and key not in self.graphs:
            self._capture(key, work)
        if key in self.graphs:
            self.graphs[key].replay()
            return
        self.seen.add(key)
        work()

    def _capture(self, key: Hashable, work: Callable[[], None]) -> None:
        graph = torch.cuda.CUDAGraph()
        self.progress.fixed = True
        try:
            with _CAPTURING:
                # Unlike torch.cuda.graph, this does not first return all free memory to the device.
                # "thread_local", because other threads may allocate memory at the same time.
                graph.capture_begin(capture_error_mode="thread_local")
                try:
                    work()
                finally:
                    graph.capture_end()
            self.graphs[key] = graph
        except RuntimeError as error:
            self.capturable = False
            self.graphs.clear()
            with _CAPTURING:  # synchronizing would invalidate the capture of another thread
                torch.cuda.synchronize(self.device)
            reason = str(error).splitlines()[0]
            logger.warning("Training continues without CUDA graphs, which is slower: %s", reason)
        finally:
            self.progress.fixed = False
