"""The how-to page's code runs, and computes what the page says."""

from tests.pages import HOW_TO, run_page


def test_the_selector_classifies_with_ten_pixels():
    names = run_page(HOW_TO / "nn.md")
    assert len(set(names["pixels"].tolist())) == 10
    assert names["accuracy"] > 0.75
    assert names["tuned_accuracy"] > 0.8
