"""Conversion of custom decoders to ONNX by PyTorch's exporter."""

from __future__ import annotations

import logging
import warnings
from typing import TYPE_CHECKING

import torch
from torch import nn

from ipcae.errors import InputError
from ipcae.optional import optional

if TYPE_CHECKING:
    from onnx import GraphProto


def exported_graph(module: nn.Module, n_inputs: int, opset: int) -> GraphProto:
    """Return the graph of a module with one input and one output. Shape: (N, K) -> (N, O)."""
    optional("onnxscript", "to_onnx with a custom decoder", install="onnxscript")
    logger = logging.getLogger("torch.onnx")
    level = logger.level
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # warnings about internals of PyTorch
            logger.setLevel(logging.ERROR)
            program = torch.onnx.export(
                module,
                (torch.zeros(3, n_inputs),),
                dynamo=True,
                opset_version=opset,
                input_names=["scaled"],
                output_names=["outputs"],
                dynamic_shapes=({0: torch.export.Dim("rows")},),
                verbose=False,
            )
    except Exception as error:  # raised by the exporter or by the module
        first_line = (str(error).strip() or type(error).__name__).splitlines()[0]
        raise InputError(
            f"PyTorch cannot export the decoder to ONNX ({first_line}): use to_torch, which "
            "supports any decoder."
        ) from error
    finally:
        logger.setLevel(level)
    model = None if program is None else program.model_proto
    versions = [] if model is None else [(o.domain, o.version) for o in model.opset_import]
    if model is None or model.functions or versions != [("", opset)]:
        raise InputError(
            f"PyTorch exports the decoder with operators that are not in ONNX opset {opset}: use "
            "to_torch, which supports any decoder."
        )
    return model.graph
