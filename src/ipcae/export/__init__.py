"""A fitted selector outside of this package: as an ONNX file, as a plain ``nn.Module``."""

from ipcae.export.onnx_file import to_onnx
from ipcae.export.torch_module import to_torch

__all__ = ["to_onnx", "to_torch"]
