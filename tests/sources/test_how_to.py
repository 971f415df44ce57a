"""docs/how-to/larger-than-memory.md runs, and does what it says."""

from tests.pages import HOW_TO, run_page


def test_the_blocks_of_the_page_run_in_order(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    names = run_page(HOW_TO / "larger-than-memory.md")
    assert set(names["selector"].get_feature_names_out()) == {"sensor3", "sensor17"}
    assert names["accuracy"] > 0.9
    assert names["same"]
    assert names["larger"].window_bytes == 2**30
    assert names["squares"].take(names["np"].array([2, 10])).tolist() == [[1, 2, 4], [1, 10, 100]]
