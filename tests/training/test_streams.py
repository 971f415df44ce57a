"""Streams reserved for one training, on the device of its rows."""

import gc

import pytest
import torch

from ipcae import cuda_streams
from ipcae.cuda_streams import reserve_stream
from ipcae.schedules import TensorProgress
from ipcae.training.epochs.cuda_graphs import Graphs

FIRST, SECOND = torch.device("cuda", 0), torch.device("cuda", 1)


class Owner:
    pass


class FakeStream:
    """A stream that needs no GPU and tells what it waited for."""

    def __init__(self, device=None):
        self.device = device
        self.waited = []

    def wait_stream(self, other):
        self.waited.append(other)


@pytest.fixture
def made(monkeypatch):
    """Replace CUDA's streams; return those that were made."""
    made = []

    def make(device=None):
        made.append(FakeStream(device))
        return made[-1]

    monkeypatch.setattr(torch.cuda, "Stream", make)
    monkeypatch.setattr(cuda_streams, "_free", {})
    return made


def test_no_two_owners_share_a_stream(made):
    owners = [Owner() for _ in range(40)]  # PyTorch's pool has 32
    assert len({id(reserve_stream(FIRST, owner)) for owner in owners}) == 40


def test_a_stream_is_used_again_when_its_owner_is_gone(made):
    for _ in range(3):
        owner = Owner()
        reserve_stream(FIRST, owner)
        del owner
        gc.collect()
    assert len(made) == 1


def test_every_device_has_streams_of_its_own(made):
    first, second = Owner(), Owner()
    assert reserve_stream(FIRST, first).device == FIRST
    del first
    gc.collect()
    assert reserve_stream(SECOND, second).device == SECOND


@pytest.fixture
def cuda(monkeypatch, made):
    """Replace what enters and asks for devices and streams; return the list of events."""
    events = []

    class Entered:
        def __init__(self, what):
            self.what = what

        def __enter__(self):
            events.append(("enter", self.what))

        def __exit__(self, *_):
            events.append(("exit", self.what))

    monkeypatch.setattr(torch.cuda, "device", Entered)
    monkeypatch.setattr(torch.cuda, "stream", Entered)
    monkeypatch.setattr(torch.cuda, "current_stream", FakeStream)
    monkeypatch.setattr(torch.cuda, "CUDAGraph", lambda: FakeGraph(events))
    monkeypatch.setattr(torch.cuda, "synchronize", lambda device: events.append(("sync", device)))
    return events


class FakeGraph:
    def __init__(self, events):
        self.events = events
        self.replays = 0

    def capture_begin(self, capture_error_mode):
        self.events.append(("begin", capture_error_mode))

    def capture_end(self):
        self.events.append("end")

    def replay(self):
        self.replays += 1


def graphs_on(device):
    return Graphs(TensorProgress(0.0, torch.device("cpu")), device)


def test_training_on_the_second_gpu_uses_streams_of_the_second_gpu(cuda, made):
    graphs = graphs_on(SECOND)
    assert [stream.device for stream in made] == [SECOND, SECOND]
    assert graphs.main_stream is not graphs.side_stream
    with graphs.stream():
        pass
    assert cuda == [
        ("enter", SECOND),
        ("enter", graphs.main_stream),
        ("exit", graphs.main_stream),
        ("exit", SECOND),
    ]
    assert [usual.device for usual in graphs.main_stream.waited] == [SECOND]


def test_the_usual_stream_waits_after_an_error_too(cuda, monkeypatch):
    usual = FakeStream(SECOND)
    monkeypatch.setattr(torch.cuda, "current_stream", lambda device: usual)
    graphs = graphs_on(SECOND)
    with pytest.raises(KeyError), graphs.stream():
        raise KeyError
    assert usual.waited == [graphs.main_stream]


def test_work_is_captured_once_on_the_stream_of_the_device(cuda):
    graphs, done = graphs_on(SECOND), []
    with graphs.stream():
        for _ in range(3):
            graphs.run("work", lambda: done.append("work"))
    assert done == ["work", "work"]  # plainly, then captured
    assert graphs.graphs["work"].replays == 2
    on_device = [("enter", SECOND), ("enter", graphs.main_stream)]
    assert cuda[:4] == [*on_device, ("begin", "thread_local"), "end"]


def test_work_that_was_run_before_is_captured_at_once(cuda):
    graphs, done = graphs_on(SECOND), []
    graphs.seen.add("work")
    for _ in range(3):
        graphs.run("work", lambda: done.append("work"))
    assert done == ["work"]
    assert graphs.graphs["work"].replays == 3


def test_a_failed_capture_synchronizes_the_device_and_runs_the_work_plainly(cuda):
    graphs, done = graphs_on(SECOND), []

    def work():
        done.append("work")
        if len(done) == 2:
            raise RuntimeError("not permitted")

    for _ in range(3):
        graphs.run("work", work)
    assert ("sync", SECOND) in cuda
    assert len(done) == 4
    assert not graphs.capturable


def test_the_cpu_has_no_streams(made):
    graphs = graphs_on(torch.device("cpu"))
    assert graphs.main_stream is graphs.side_stream is None
    with graphs.stream():
        pass
    assert not made
