"""Ways to write a fitted selector: a file, an exported model, a report."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from sklearn.base import BaseEstimator
from torch import nn

from ipcae import export, files, report
from ipcae.tables.tensors import shared


class Outputs(BaseEstimator):
    """Save, export, report and pickle a fitted selector."""

    def save(self, path: str | Path) -> None:
        """Save the fitted selector to a safetensors file, to be read by :func:`ipcae.load`.

        The file contains no pickle, so loading it runs no code. Selectors with a custom decoder
        or a custom loss cannot be saved this way.

        Parameters
        ----------
        path : str or Path
            The file to write, usually with the suffix ``.safetensors``.
        """
        files.save(self, path)

    def to_onnx(self, path: str | Path, input: str = "selected", *, dtype: str = "float32") -> None:
        """Export the model to ONNX.

        :func:`ipcae.export.to_onnx` describes the inputs, the outputs and the metadata of the file.

        Parameters
        ----------
        path : str or Path
            The file to write.
        input : {"selected", "all"}, default="selected"
            Whether the input of the model is the selected columns or all of them.
        dtype : {"float32", "float64"}, default="float32"
            Type of the input, the scaling and the outputs. The decoder always uses float32.
        """
        export.to_onnx(self, path, input, dtype=dtype)

    def to_torch(self, input: str = "all") -> nn.Module:
        """Return the model as a PyTorch module.

        It returns probabilities, predictions or reconstructions, as :func:`ipcae.export.to_torch`
        describes.

        Parameters
        ----------
        input : {"all", "selected"}, default="all"
            Whether the input of the module is all columns or the selected ones.

        Returns
        -------
        nn.Module
        """
        return export.to_torch(self, input)

    def report(self, path: str | Path, X: Any = None, y: Any = None, **options: Any) -> Path:
        """Write a self-contained HTML report about the selection.

        Parameters
        ----------
        path : str or Path
            The file to write.
        X, y : optional
            Rows, ideally not used in ``fit``, and their targets: the report includes metrics.
        **options
            Other arguments of :func:`ipcae.report.report_html`.

        Returns
        -------
        Path
            The file.
        """
        return report.write_report(self, path, X, y, **options)

    def __getstate__(self) -> dict[str, Any]:
        """Store tensors as arrays, which skops and other tools can save."""
        state = dict(super().__getstate__())
        if "params_" in state:
            state["params_"] = {name: t.numpy() for name, t in state["params_"].items()}
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        super().__setstate__(state)
        if "params_" in state:
            self.params_ = {name: shared(array) for name, array in state["params_"].items()}
