"""Parts with values that make no sense are refused when they are made."""

import pytest

from ipcae import (
    Concrete,
    Constant,
    Cosine,
    Exponential,
    Full,
    InputError,
    Mlp,
    Subset,
    Warmup,
)


@pytest.mark.parametrize(
    ("part", "arguments", "sentence"),
    [
        (Mlp, {"dropout": 1.5}, "dropout=1.5 is not understood: expected a probability"),
        (Mlp, {"dropout": -0.1}, "dropout=-0.1"),
        (Mlp, {"hidden": 5}, r"hidden=5 .* such as \(200,\)"),
        (Mlp, {"hidden": (200, 0)}, "hidden"),
        (Mlp, {"mixup": -1.0}, "mixup=-1.0 is not understood: expected 0 or more"),
        (Exponential, {"start": 0.0}, "Exponential.* expected positive values"),
        (Warmup, {"fraction": 3}, "fraction=3"),
        (Cosine, {"warmup": 1.0}, "warmup=1.0"),
        (Concrete, {"temperature": 1.0}, "temperature=1.0 .* such as Exponential"),
        (Concrete, {"temperature": Constant(0.0)}, "temperature"),
        (Concrete, {"temperature": Exponential}, "the class Exponential"),
        (Concrete, {"parametrization": "full"}, r"parametrization='full' .* such as Full\(\)"),
        (Concrete, {"parametrization": Full}, "the class Full"),
        (Concrete, {"regularizer": 0.1}, r"regularizer=0.1 .* such as Gjsd\(0.05\)"),
        (Subset, {"temperature": -1}, "temperature=-1"),
    ],
)
def test_the_error_says_what_is_expected(part, arguments, sentence):
    with pytest.raises(InputError, match=sentence):
        part(**arguments)
