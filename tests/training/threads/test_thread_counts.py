"""The number of threads of a training."""

import numpy as np
import pytest
import torch

from ipcae import ClassificationSelector
from ipcae.training.threads.thread_counts import limited_threads, useful_threads


def test_a_small_fit_uses_one_thread_and_restores_the_setting(two_threads):
    used = []
    X = np.random.default_rng(0).normal(size=(60, 5))
    selector = ClassificationSelector(
        2, max_epochs=2, callbacks=[lambda report: used.append(torch.get_num_threads())]
    )
    selector.fit(X, X[:, 0] > 0)
    assert set(used) == {1}
    assert torch.get_num_threads() == 2


def test_the_setting_is_restored_after_an_error(two_threads):
    with pytest.raises(KeyError), limited_threads({"weight": torch.zeros(3)}, batch_size=4):
        raise KeyError
    assert torch.get_num_threads() == 2


def test_large_steps_use_all_threads_and_never_more(two_threads):
    with limited_threads({"weight": torch.empty(2**20)}, batch_size=128):
        assert torch.get_num_threads() == 2
    assert useful_threads(10**12, available=1) == 1
