"""What a fitted selector hands over: a file, an export, a report, a copy through pickle.

The work is done in higher layers, which are imported when they are called.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import torch
from torch import nn

from ipcae.estimators.fitted import FittedSelector


class Handover(FittedSelector):
    """Methods of a fitted selector that lead out of it."""

    def save(self, path: str | Path) -> None:
        """Write everything that was learned into one safetensors file.

        ``ipcae.load(path)`` gives an equal selector back. No pickle is involved: a file from a
        stranger runs no code. A network or a loss of your own cannot be saved this way.
        """
        from ipcae.files import save

        save(self, path)

    def to_onnx(self, path: str | Path, input: str = "selected", *, dtype: str = "float32") -> None:
        """Write the model as ONNX: from the selected columns, or from ``input="all"``."""
        from ipcae.export import to_onnx

        to_onnx(self, path, input, dtype=dtype)

    def to_torch(self, input: str = "all") -> nn.Module:
        """Return a plain ``nn.Module`` that predicts from all columns, or from the selected."""
        from ipcae.export import to_torch

        return to_torch(self, input)

    def report(self, path: str | Path, X: Any = None, y: Any = None, **options: Any) -> Path:
        """Write a page about the selection: one HTML file that needs no network.

        With rows that training has not seen, X and y, the page also says how well the selection
        does on them. The options are those of :func:`ipcae.report.write_report`.
        """
        from ipcae.report import write_report

        return write_report(self, path, X, y, **options)

    def __getstate__(self) -> dict[str, Any]:
        """Hold arrays instead of tensors, which skops and other tools can store."""
        state = dict(super().__getstate__())
        if "params_" in state:
            state["params_"] = {name: t.numpy() for name, t in state["params_"].items()}
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        super().__setstate__(state)
        if "params_" in state:
            self.params_ = {name: torch.as_tensor(t) for name, t in state["params_"].items()}
