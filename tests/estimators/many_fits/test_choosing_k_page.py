"""The how-to page about the number of features runs, and does what it says."""

from tests.pages import HOW_TO, run_page


def test_the_blocks_of_the_page_run_in_order(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    names = run_page(HOW_TO / "choosing-k.md")
    assert names["search"].n_features_ in (1, 2, 5)
    assert (tmp_path / "path.png").read_bytes().startswith(b"\x89PNG")
    assert names["nested"]["test_score"].min() > 0.9
    assert names["chosen"].comparison_["compared"].sum() < len(
        names["chosen"].comparison_["method"]
    )
    assert names["display"].ax_.get_xlabel() == "number of features"
