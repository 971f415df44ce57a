"""Convert tensors to ordinary dense tensors, and to arrays."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from ipcae.errors import InputError


def as_floating(rows: Tensor) -> Tensor:
    """Return a dense tensor; float32 stays, all else becomes float64, as in scikit-learn."""
    rows = as_dense(rows)
    return rows if rows.dtype == torch.float32 else rows.to(torch.float64)


def as_dense(values: Tensor, name: str = "X") -> Tensor:
    """Return a tensor of real numbers in the ordinary layout; refuse what cannot be one."""
    if values.is_complex():
        raise InputError(f"{name} is a tensor of complex numbers: expected real ones.")
    if values.is_meta or values.is_nested:
        kind = "meta" if values.is_meta else "nested"
        raise InputError(f"{name} is a {kind} tensor: expected one that holds rows of numbers.")
    if values.is_quantized:
        return values.dequantize()
    return values if values.layout == torch.strided else values.to_dense()


def as_array(values: Any, name: str = "y") -> Any:
    """Return a tensor as an array on the CPU; anything else is returned unchanged."""
    if not isinstance(values, Tensor):
        return values
    values = as_dense(values.detach(), name).cpu()
    in_numpy = (torch.float16, torch.float32, torch.float64)
    if values.is_floating_point() and values.dtype not in in_numpy:
        values = values.to(torch.float32)
    return values.resolve_conj().resolve_neg().numpy()


def shared(array: NDArray[Any]) -> Tensor:
    """Return a tensor on the memory of an array; a copy if the array is read-only.

    Arrays that joblib maps into memory are read-only.
    """
    return torch.from_numpy(np.require(array, requirements="W"))


def without_mask(values: Any) -> Any:
    """Return a masked array of NumPy with NaN where it is masked; anything else is unchanged.

    >>> without_mask(np.ma.masked_equal([31, -999, 54], -999))
    array([31., nan, 54.])
    """
    if not isinstance(values, np.ma.MaskedArray):
        return values
    masked = np.ma.getmaskarray(values)
    return np.where(masked, np.nan, values.data) if masked.any() else values.data


def count_rows(X: Any) -> int:
    """Return the number of rows of a table in any form.

    >>> count_rows([[1, 2], [3, 4], [5, 6]])
    3
    """
    return X.shape[0] if hasattr(X, "shape") else len(X)
