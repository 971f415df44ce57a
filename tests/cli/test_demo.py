"""``ipcae demo`` draws and writes both selections."""

import json
import re

from ipcae.cli.app import run
from ipcae.cli.demo import TASKS, run_demo
from ipcae.cli.outputs.results import RESULT_FILES


def test_the_demo_draws_and_writes_both_selections(tmp_path, capsys):
    assert run_demo(tmp_path, quiet=False, epochs=1) == 0
    out, err = capsys.readouterr()
    assert out.count("■") == 32
    assert out.count("·") == 2 * (64 - 16)
    assert "to reconstruct the image" in out
    assert re.search(r"R² of all columns: \S+ +accuracy: \S+\s%\n +baseline: ", out)
    assert "columns are constant in the training rows (pixel_0_0" in err
    assert (tmp_path / "demo.png").read_bytes().startswith(b"\x89PNG")
    for task in ("reconstruction", "classification"):
        assert {path.name for path in (tmp_path / task).iterdir()} == set(RESULT_FILES)
        metrics = json.loads((tmp_path / task / "metrics.json").read_text())
        assert metrics["held_out_rows"] == 359
        assert metrics["selected"] == 16
        page = (tmp_path / task / "report.html").read_text(encoding="utf-8")
        assert 'aria-label="16 selected features on a grid of 8 by 8"' in page
    # Written again, it still knows.
    assert run(["report", str(tmp_path / "reconstruction")]) == 0
    page = (tmp_path / "reconstruction" / "report.html").read_text(encoding="utf-8")
    assert "On the grid" in page
    # Quiet, over what is there.
    capsys.readouterr()
    assert run_demo(tmp_path, quiet=True, epochs=1, tasks=TASKS[:1]) == 0
    assert capsys.readouterr() == ("", "")
