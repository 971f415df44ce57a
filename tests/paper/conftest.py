"""A small data set under the name of one of the paper's, packed as for a machine without pandas."""

import numpy as np
import pytest


@pytest.fixture(scope="session")
def splits(tmp_path_factory):
    folder = tmp_path_factory.mktemp("splits")
    random = np.random.default_rng(0)
    y = np.arange(96) % 8
    X = (random.normal(size=(96, 77)) + (np.arange(77) % 8 == y[:, None])).astype(np.float32)
    parts = {"train": slice(0, 48), "val": slice(48, 72), "test": slice(72, 96)}
    arrays = {f"X_{name}": X[rows] for name, rows in parts.items()}
    arrays |= {f"y_{name}": y[rows] for name, rows in parts.items()}
    np.savez(folder / "mice_protein.npz", **arrays)
    return str(folder)
