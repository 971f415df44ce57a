"""The how-to page about several processes runs, in one process."""

import re
from pathlib import Path

PAGE = Path(__file__).resolve().parents[2] / "docs" / "how-to" / "many-processes.md"


def test_the_program_of_the_page_runs_without_torchrun(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    text = PAGE.read_text(encoding="utf-8").partition("## Many fits")[0]
    (program,) = re.findall(r"^```python\n(.*?)^```", text, flags=re.MULTILINE | re.DOTALL)
    exec(compile(program, PAGE.name, "exec"), {})
    assert (tmp_path / "wine.safetensors").exists()
    assert len(capsys.readouterr().out.strip("[] \n").split()) == 5
