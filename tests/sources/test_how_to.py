"""docs/how-to/larger-than-memory.md runs, and does what it says."""

from pathlib import Path

from tests.pages import python_blocks

PAGE = Path(__file__).resolve().parents[2] / "docs" / "how-to" / "larger-than-memory.md"
BLOCKS = python_blocks(PAGE.read_text(encoding="utf-8"))


def test_the_blocks_of_the_page_run_in_order(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    names = {}
    for block in BLOCKS:
        exec(compile(block, PAGE.name, "exec"), names)
    assert set(names["selector"].get_feature_names_out()) == {"sensor3", "sensor17"}
    assert names["accuracy"] > 0.9
    assert names["same"]
    assert names["larger"].window_bytes == 2**30
    assert names["squares"].take(names["np"].array([2, 10])).tolist() == [[1, 2, 4], [1, 10, 100]]
