"""Where the tests find the original data files, and quiet, repeatable numerics."""

import os
import shutil
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import torch

from ipcae.ops.dispatch import kernels_everywhere

# The original files may lie beside the checkout; otherwise IPCAE_DATA names their folder.
BESIDE = Path(__file__).resolve().parents[2] / "shared" / "data"
if "IPCAE_DATA" not in os.environ and BESIDE.is_dir():
    os.environ["IPCAE_DATA"] = str(BESIDE)
# Two workers on two cores: one thread each, also in the processes that tests start.
os.environ.setdefault("OMP_NUM_THREADS", "1")
torch.set_num_threads(1)
# Jobs in the background ignore Ctrl-C; tests of interrupts raise it.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)
# Without a GPU Triton's interpreter runs the kernels. Triton reads this when it is imported.
KERNEL_DEVICE = torch.device("cuda" if torch.cuda.is_available() else "cpu")
if KERNEL_DEVICE.type == "cpu":
    os.environ.setdefault("TRITON_INTERPRET", "1")


@pytest.fixture(scope="session")
def original_data() -> Path:
    """Return the folder of the original data files, or skip where there is none."""
    folder = os.environ.get("IPCAE_DATA")
    if not folder or not Path(folder).is_dir():
        pytest.skip("needs the original data files: set IPCAE_DATA to their folder")
    return Path(folder)


@pytest.fixture(scope="session")
def device() -> torch.device:
    """Return the device that kernels run on."""
    return KERNEL_DEVICE


@pytest.fixture
def two_threads() -> Iterator[None]:
    """Let PyTorch divide large operations among two threads."""
    before = torch.get_num_threads()
    torch.set_num_threads(2)
    yield
    torch.set_num_threads(before)


@pytest.fixture
def kernels(device: torch.device) -> Iterator[None]:
    """Use the kernels on any device; an element that they forget to write is NaN."""
    # On a GPU this would ask PyTorch's own operations for slower variants too.
    torch.use_deterministic_algorithms(device.type == "cpu")
    try:
        with kernels_everywhere():
            yield
    finally:
        torch.use_deterministic_algorithms(False)


@pytest.fixture(scope="session")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """Start a headless Chromium that logs its console and its network."""
    webdriver = pytest.importorskip("selenium.webdriver", reason="needs selenium")
    binary = next(filter(None, map(shutil.which, ("chromium", "chromium-browser"))), None)
    driver = shutil.which("chromedriver")
    if binary is None or driver is None:
        missing = "needs chromium and chromedriver on the path"
        pytest.fail(missing) if "IPCAE_NEEDS_BROWSER" in os.environ else pytest.skip(missing)
    options = webdriver.ChromeOptions()
    options.binary_location = binary
    flags = (
        "headless no-sandbox disable-gpu disable-quic no-first-run disable-dev-shm-usage "
        "disable-background-networking disable-component-update disable-sync"
    )
    for flag in flags.split():
        options.add_argument(f"--{flag}")
    options.add_argument(f"--user-data-dir={tmp_path_factory.mktemp('profile')}")
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    window = webdriver.Chrome(options=options, service=webdriver.ChromeService(driver))
    yield window
    window.quit()
