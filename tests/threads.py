"""Trainings in several threads: who trains, and Ctrl-C in one of them."""

import signal
import threading
from contextlib import contextmanager

import torch

from ipcae.training import trainer
from ipcae.training.threads import thread_counts


@contextmanager
def noted_threads(monkeypatch, n_threads, owner, name):
    """Let even small steps deserve a thread; list which threads call a function of ``owner``.

    Every thread is listed with the number of threads that PyTorch may use in it.
    """
    before, called, inner = torch.get_num_threads(), [], getattr(owner, name)

    def noting(*arguments):
        called.append((threading.get_ident(), torch.get_num_threads()))
        return inner(*arguments)

    monkeypatch.setattr(owner, name, noting)
    monkeypatch.setattr(thread_counts, "_WORK_PER_THREAD", 1)
    torch.set_num_threads(n_threads)
    yield called
    assert torch.get_num_threads() == n_threads
    torch.set_num_threads(before)


@contextmanager
def ctrl_c_in_second_epoch(monkeypatch):
    """Press Ctrl-C in the second epoch of the main thread; its handler is the same afterwards."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    main, run = threading.get_ident(), trainer.PlainEpochs.run

    def pressing(epochs):
        if threading.get_ident() == main and epochs.state.epoch == 1:
            signal.raise_signal(signal.SIGINT)
        return run(epochs)

    monkeypatch.setattr(trainer.PlainEpochs, "run", pressing)
    yield
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    signal.signal(signal.SIGINT, before)
