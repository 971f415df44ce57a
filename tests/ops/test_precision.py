"""The precision of matrix products: its names, and where it holds."""

import pytest

from ipcae.errors import InputError
from ipcae.ops import PRECISIONS, matrix_precision
from ipcae.ops.precision import kernel_precision


def test_float32_is_exact_and_the_default():
    assert kernel_precision() == "tf32x3"


@pytest.mark.parametrize("precision", PRECISIONS)
def test_a_precision_holds_inside_its_block_alone(precision):
    with matrix_precision(precision):
        assert kernel_precision() == PRECISIONS[precision]
        with matrix_precision("float32"):
            assert kernel_precision() == "tf32x3"
        assert kernel_precision() == PRECISIONS[precision]
    assert kernel_precision() == "tf32x3"


def fail_inside():
    with matrix_precision("tf32"):
        raise ValueError("inside")


def test_the_precision_is_back_after_an_error():
    with pytest.raises(ValueError, match="inside"):
        fail_inside()
    assert kernel_precision() == "tf32x3"


@pytest.mark.parametrize("precision", ["float16", "TF32", "", "bf16"])
def test_an_unknown_precision_is_refused_with_the_known_ones(precision):
    with (
        pytest.raises(InputError, match=r"is not understood: expected one of float32, tf32, bfl"),
        matrix_precision(precision),
    ):
        pass
