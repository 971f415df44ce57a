"""What is collected: without Triton, neither its kernels nor their tests."""

import torch

from ipcae.optional import has_triton

collect_ignore_glob = (
    []
    if has_triton()
    else [
        "src/*_triton.py",
        "src/*/fused.py",
        "src/*/tensor_cores.py",
        "tests/*_kernels.py",
    ]
)


def pytest_report_header() -> str:
    """Say where kernels are tested."""
    if not has_triton():
        return "kernels: not tested, Triton is missing"
    interpreted = "interpreted on the CPU"
    return f"kernels: {'on the GPU' if torch.cuda.is_available() else interpreted}"
