"""What commands print: styled on a terminal, plain and complete elsewhere."""

import os
import re
import subprocess
import sys
from contextlib import suppress

import numpy as np
import pandas as pd
import pytest

from ipcae.cli.messages import Messages
from ipcae.cli.tables import add_row, new_table

COMMAND = [sys.executable, "-c", "from ipcae.cli import main; main()"]
LONG = "a_name_of_more_than_eighty_characters_" * 5
MARKUP = "[bold red]gene[/bold red] :smile: [link=x]"


@pytest.fixture
def named(numbers):
    return numbers.rename(columns={"a": LONG, "b": MARKUP})


def test_piped_tables_are_complete_plain_and_in_order_of_rank(select, named, tmp_path, monkeypatch):
    monkeypatch.setenv("COLUMNS", "40")
    monkeypatch.setenv("FORCE_COLOR", "1")
    outcome = select(named, "-k", 7)
    assert outcome.code == 0
    assert "\x1b" not in outcome.out + outcome.err
    rows = [re.split(r"\s{2,}", line.strip()) for line in outcome.out.splitlines()]
    assert ["column", "importance", "probability"] in rows
    listed = [row for row in rows if len(row) == 3 and "±" in row[1]]
    features = [row[0] for row in listed]
    assert features == (tmp_path / "out" / "selected.txt").read_text().splitlines()
    assert set(features) == {LONG, MARKUP, *"cdef", "price"}
    assert not any(line.endswith(" ") for line in outcome.out.splitlines())


def test_quiet_prints_no_table(capsys):
    table = new_table("name", "n", left=[0])
    add_row(table, "a", "1")
    Messages(quiet=True).show(table)
    assert capsys.readouterr() == ("", "")
    Messages().show(table)
    assert [line.split() for line in capsys.readouterr().out.splitlines()][::2] == [
        ["name", "n"],
        ["a", "1"],
    ]


def run_on_terminal(*arguments, columns=60, **environment):
    """Run the command on a pseudo-terminal and return its exit code and output."""
    pty = pytest.importorskip("pty")
    main, secondary = pty.openpty()
    size = {"COLUMNS": str(columns), "TERM": "xterm-256color"}
    removed = ("NO_COLOR", "FORCE_COLOR", "TTY_COMPATIBLE", "TTY_INTERACTIVE")
    inherited = {name: value for name, value in os.environ.items() if name not in removed}
    process = subprocess.Popen(
        COMMAND + [str(argument) for argument in arguments],
        stdout=secondary,
        stderr=secondary,
        env={**inherited, "OMP_NUM_THREADS": "1", "PYTHONUTF8": "1", **size, **environment},
    )
    os.close(secondary)
    content = b""
    with suppress(OSError):  # when the process has ended
        while part := os.read(main, 4096):
            content += part
    os.close(main)
    return process.wait(120), content.decode()


@pytest.mark.skipif(sys.platform == "win32", reason="needs a pseudo-terminal")
@pytest.mark.parametrize("color", [True, False])
def test_a_terminal_gets_bars_and_folded_tables(named, tmp_path, color):
    table = tmp_path / "table.csv"
    named.to_csv(table, index=False)
    environment = {} if color else {"NO_COLOR": "1"}
    code, text = run_on_terminal(
        *("select", table, "-k", 7, "--out", tmp_path / "out", "--epochs", 5, "--runs", 1),
        *("--method", "ip-cae"),
        **environment,
    )
    assert code == 0, text
    assert bool(re.search(r"\x1b\[[0-9;]*3[0-9]", text)) == color
    plain = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", text)
    assert re.search(r"selecting +━+ 5/5 ", plain)
    assert re.search(r"fine-tuning +━+ 1/1 ", plain)
    # The long name continues on the next lines, and nothing of it is lost.
    summary = plain[plain.index("importance") :]
    pieces = re.findall(r"[a-z_]{8,}", summary[: summary.index("held-out")])
    assert LONG.rstrip("_") in "".join(pieces)  # the last character may be alone on its line
    assert max(len(line) for line in summary.split("held-out")[0].splitlines()) <= 60


@pytest.mark.skipif(sys.platform == "win32", reason="needs a pseudo-terminal")
def test_a_quiet_terminal_gets_errors_only(tmp_path):
    table = pd.DataFrame(np.random.default_rng(0).normal(size=(60, 5)), columns=list("abcde"))
    table.to_csv(tmp_path / "table.csv", index=False)
    command = ("select", tmp_path / "table.csv", "--out", tmp_path / "out", "--quiet")
    fast = ("--epochs", 2, "--runs", 1)
    assert run_on_terminal(*command, *fast, "-k", 2) == (0, "")
    code, text = run_on_terminal(*command, *fast, "-k", 9, "--force")
    assert code == 2
    assert text.startswith("error: -k 9 is more than the 5 columns")
    assert text.count("\n") == 1
