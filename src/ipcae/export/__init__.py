"""Export of fitted selectors to ONNX and ``nn.Module``."""

from ipcae.export.onnx_file import to_onnx
from ipcae.export.torch_module import to_torch

__all__ = ["to_onnx", "to_torch"]
