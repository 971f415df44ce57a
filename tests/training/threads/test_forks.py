"""A fit in the child of a fork, after a fit with two threads in its parent."""

import os
import subprocess
import sys

import pytest
import torch

pytestmark = pytest.mark.skipif(
    not hasattr(os, "fork") or torch.cuda.is_available(),
    reason="needs forks, in which PyTorch refuses to train if there is a GPU",
)

FITS = """
import os, sys
import numpy as np, torch
from ipcae import ClassificationSelector
from torch import nn

torch.set_num_threads(2)
X = np.random.default_rng(0).normal(size=(2000, 200))

def decoder(n_inputs, n_outputs):
    return nn.Sequential(nn.Linear(n_inputs, 8), nn.Dropout(0.1), nn.Linear(8, n_outputs))

def fit(seed):
    torch.set_num_threads(2)
    selector = ClassificationSelector(
        4, method="ip-cae", max_epochs=1, fine_tune=False, batch_size=512, decoder=decoder,
        random_state=seed,
    )
    return selector.fit(X, X[:, 0] > 0).params_

def same(one, other):
    return all(torch.equal(one[name], other[name]) for name in one)
"""
FORK = """
before = fit(0)
child = os.fork()
if child == 0:
    os._exit(0 if same(before, fit(0)) else 1)
_, status = os.waitpid(child, 0)
assert status == 0, status
assert same(before, fit(0))
"""
JOBLIB = """
from joblib import Parallel, delayed
before = [fit(seed) for seed in range(2)]
after = Parallel(2, backend="multiprocessing")(delayed(fit)(seed) for seed in range(2))
assert all(map(same, before, after))
"""


@pytest.mark.parametrize("program", [FORK, JOBLIB], ids=["fork", "joblib"])
def test_a_child_fits_as_its_parent_does(program):
    # Without ended workers, the child waits forever.
    finished = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", FITS + program],
        env=os.environ | {"OMP_NUM_THREADS": "2"},
        capture_output=True,
        text=True,
        timeout=120,
        start_new_session=True,
    )
    assert finished.returncode == 0, finished.stderr
