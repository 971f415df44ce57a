"""The how-to page's code runs, and computes what the page says."""

import re

import pytest

from ipcae.parametrizations import Direct, Full
from tests.pages import HOW_TO, run_page

PAGE = HOW_TO / "nn.md"


@pytest.fixture(scope="module")
def namespace():
    return run_page(PAGE)


def test_the_selector_classifies_with_ten_pixels(namespace):
    assert len(set(namespace["pixels"].tolist())) == 10
    assert namespace["accuracy"] > 0.75
    assert namespace["tuned_accuracy"] > 0.8


def test_the_prototypes_explain_the_digits(namespace):
    assert namespace["n_prototypes"] == 32
    assert namespace["indirect_error"] < namespace["direct_error"] < 0.033


def measured(n_steps, learning_rate):
    """Return mean and deviation of the direct and the indirect error × 1000, from the table."""
    page = PAGE.read_text(encoding="utf-8")
    row = re.search(rf"^\| {n_steps} \| {learning_rate} \|(.*)\|(.*)\|$", page, flags=re.MULTILINE)
    return [[float(n) for n in cell.split("(")[0].split("±")] for cell in row.groups()]


# One row where indirect logits are better, and one where they fail.
@pytest.mark.parametrize("learning_rate", [0.03, 0.3])
def test_the_table_is_what_the_page_computes(namespace, learning_rate):
    cells = measured(300, learning_rate)
    for parametrization, (mean, deviation) in zip((Direct(), Full()), cells, strict=True):
        error, _ = namespace["fit_prototypes"](parametrization, learning_rate, seed=1)
        # One seed against the mean of five, on any machine.
        assert 1000 * error == pytest.approx(mean, abs=4 * deviation + 0.2)
