"""Where the tests find the original data files, and quiet, repeatable numerics."""

import os
from pathlib import Path

import pytest
import torch

# The original files may lie beside the checkout; otherwise IPCAE_DATA names their folder.
BESIDE = Path(__file__).resolve().parents[2] / "shared" / "data"
if "IPCAE_DATA" not in os.environ and BESIDE.is_dir():
    os.environ["IPCAE_DATA"] = str(BESIDE)
# Two workers on two cores: one thread each, also in the processes that tests start.
os.environ.setdefault("OMP_NUM_THREADS", "1")
torch.set_num_threads(1)


@pytest.fixture(scope="session")
def original_data() -> Path:
    """Return the folder of the original data files, or skip where there is none."""
    folder = os.environ.get("IPCAE_DATA")
    if not folder or not Path(folder).is_dir():
        pytest.skip("needs the original data files: set IPCAE_DATA to their folder")
    return Path(folder)
